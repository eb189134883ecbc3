/* The watchdog of the power management, as the driver bcm2835_wdt of Linux uses it. */
#include "test/watchdog/models.h"

#define BASE (PERIPHERALS_BASE + 0x100000u)
#define PASSWORD 0x5au

const int model_end = STOPS;
const uint32_t model_grain = 16;

static struct {
    uint32_t reset; /* RSTC */
    uint64_t left;  /* 2^-10 us: a count of 65536 Hz is 15625 of them */
} w = {.reset = 0x102};

uint32_t model_read(uintptr_t address) {
    (void)address;
    return 0;
}

void model_write(uintptr_t address, uint32_t value) {
    const uintptr_t at = address - BASE;
    if (at >= 0x1000) {
        return;
    }
    if (value >> 24 != PASSWORD) {
        refuse("a write without the password", value);
    }
    value &= 0xffffffu;
    switch (at) {
    case 0x1c:
        if ((value & ~0x30u) != 0x102) {
            refuse("bits of RSTC that are none of the watchdog's", value);
        }
        w.reset = value;
        return;
    case 0x24:
        if (value > 0xfffffu) {
            refuse("more than 20 bits", value);
        }
        w.left = (uint64_t)value * 15625u;
        return;
    }
    refuse("no register of the watchdog", (uint32_t)at);
}

uint64_t model_pass(uint64_t us) {
    if ((w.reset & 0x30u) != 0x20) {
        return 0;
    }
    if (us * 1024u >= w.left) {
        return w.left / 1024u + 1;
    }
    w.left -= us * 1024u;
    return 0;
}
