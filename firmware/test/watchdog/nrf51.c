/* nRF51 Series Reference Manual 3.0, chapter 21. */
#include "test/watchdog/models.h"

#define BASE 0x40010000u

const int model_end = STAYS;
const uint32_t model_grain = 31;

static struct {
    bool runs;
    uint32_t crv, rren, config;
    uint64_t left; /* 2^-6 us: a count of 32768 Hz is 1953.125 of them */
} w = {.crv = 0xffffffffu, .rren = 1, .config = 1};

static uint64_t of_counts(void) {
    return ((uint64_t)w.crv + 1u) * 1953125u / 1000u;
}

uint32_t model_read(uintptr_t address) {
    switch (address - BASE) {
    case 0x400:
        return w.runs;
    case 0x504:
        return w.crv;
    }
    return 1; /* another device */
}

void model_write(uintptr_t address, uint32_t value) {
    const uintptr_t at = address - BASE;
    if (at >= 0x1000) {
        return;
    }
    switch (at) {
    case 0x000:
        if (value != 1) {
            refuse("a task is triggered by 1", value);
        }
        if (!w.runs) {
            w.left = of_counts();
        }
        w.runs = true;
        return;
    case 0x504:
        if (value < 0xf) {
            refuse("a reload value below 0xf", value);
        }
        w.crv = w.runs ? w.crv : value; /* blocked while it runs */
        return;
    case 0x508:
        if ((value & ~0xffu) != 0) {
            refuse("reserved bits of RREN", value);
        }
        w.rren = w.runs ? w.rren : value;
        return;
    case 0x50c:
        if ((value & ~9u) != 0) {
            refuse("reserved bits of CONFIG", value);
        }
        w.config = w.runs ? w.config : value;
        return;
    case 0x600:
        if (value == 0x6e524635u && w.rren == 1 && (w.config & 1u) != 0) {
            w.left = of_counts();
        }
        return;
    }
    refuse("no register", (uint32_t)at);
}

uint64_t model_pass(uint64_t us) {
    if (!w.runs) {
        return 0;
    }
    if (us * 64u >= w.left) {
        return w.left / 64u + 1;
    }
    w.left -= us * 64u;
    return 0;
}
