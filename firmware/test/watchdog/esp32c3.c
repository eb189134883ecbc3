/* Watchdog of timer group 0 of the ESP32-C3: esp-idf, soc/esp32c3/register/soc/timer_group_reg.h. The chip's start turns others off, too. */
#include "test/watchdog/models.h"

#define BASE 0x6001f000u
#define KEY 0x50d83aa1u
#define CRYSTAL_PER_US 40u

const int model_end = STOPS;
const uint32_t model_grain = 1000;

static struct {
    bool open; /* by the key, until another value is written there */
    uint32_t config, prescaler, stage0;
    uint32_t taken; /* of config, by the bit that does so */
    uint64_t cycles;
} w = {.prescaler = 1u << 16}; /* off, as cf_chip_init leaves it */

uint32_t model_read(uintptr_t address) {
    (void)address;
    return 0;
}

void model_write(uintptr_t address, uint32_t value) {
    const uintptr_t at = address - BASE;
    if (at < 0x48 || at > 0x64) {
        return; /* another device */
    }
    if (at == 0x64) {
        w.open = value == KEY;
        return;
    }
    if (!w.open) {
        refuse("a write without the key", (uint32_t)at);
    }
    switch (at) {
    case 0x48:
        if ((value & 0xfffu) != 0) {
            refuse("reserved bits of WDTCONFIG0", value);
        }
        w.config = value;
        if ((value & 1u << 22) != 0) {
            w.taken = value & ~(1u << 22);
        }
        return;
    case 0x4c:
        if ((value & 0xfffeu) != 0) {
            refuse("reserved bits of WDTCONFIG1", value);
        }
        w.prescaler = value;
        return;
    case 0x50:
        w.stage0 = value;
        return;
    case 0x60:
        w.cycles = 0;
        return;
    }
    refuse("a register that is not asked for", (uint32_t)at);
}

uint64_t model_pass(uint64_t us) {
    if ((w.config & ~(1u << 22)) != w.taken) {
        refuse("not taken over", w.config);
    }
    if ((w.taken & 1u << 14) != 0) {
        refuse("the mode for booting is on", w.taken);
    }
    if ((w.taken & 1u << 31) == 0) {
        return 0;
    }
    if ((w.taken & 3u << 29) != 3u << 29 || (w.taken & 1u << 21) == 0) {
        refuse("does not reset, or counts the clock of the bus", w.taken);
    }
    const uint64_t end = (uint64_t)w.stage0 * (w.prescaler >> 16);
    if (w.cycles + us * CRYSTAL_PER_US >= end) {
        return end < w.cycles ? 1 : (end - w.cycles) / CRYSTAL_PER_US + 1;
    }
    w.cycles += us * CRYSTAL_PER_US;
    return 0;
}
