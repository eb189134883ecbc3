/* FE310-G000 Manual, chapter 14. */
#include "test/watchdog/models.h"

#define BASE 0x10000000u

const int model_end = STOPS;
const uint32_t model_grain = 1000;

static struct {
    bool open; /* by the key, for one write */
    uint32_t config, compare;
    uint64_t count; /* 2^-6 us, as in the nRF51 */
} w;

uint32_t model_read(uintptr_t address) {
    (void)address;
    return 0xffffffffu; /* the crystal is ready */
}

void model_write(uintptr_t address, uint32_t value) {
    const uintptr_t at = address - BASE;
    if (at >= 0x40) {
        return; /* another device */
    }
    if (at == 0x1c) {
        if (value != 0x51f15e) {
            refuse("no key", value);
        }
        w.open = true;
        return;
    }
    if (!w.open) {
        refuse("a write without the key", (uint32_t)at);
    }
    w.open = false;
    switch (at) {
    case 0x00:
        if ((value & ~0x1000330fu) != 0) {
            refuse("reserved bits of wdogcfg", value);
        }
        w.config = value;
        return;
    case 0x18:
        if (value != 0xd09f00d) {
            refuse("not its food", value);
        }
        w.count = 0;
        return;
    case 0x20:
        if (value > 0xffff) {
            refuse("more than 16 bits", value);
        }
        w.compare = value;
        return;
    }
    refuse("no register", (uint32_t)at);
}

uint64_t model_pass(uint64_t us) {
    if ((w.config & 0x3000u) == 0) {
        return 0;
    }
    if ((w.config & 0x100u) == 0) {
        refuse("a watchdog that does not reset", w.config);
    }
    const uint64_t end = ((uint64_t)w.compare << (w.config & 15u)) * 1953125u / 1000u;
    if (w.count + us * 64u >= end) {
        return end < w.count ? 1 : (end - w.count) / 64u + 1;
    }
    w.count += us * 64u;
    return 0;
}
