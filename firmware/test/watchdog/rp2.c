/* RP2040 datasheet, 4.7, 2.13 (PSM) and erratum E1; RP2350 datasheet 12.9, 8.5 (TICKS) and 7.4 (PSM). */
#include "test/watchdog/models.h"

const int model_end = STOPS;
const uint32_t model_grain = 1;

#define CRYSTAL_MHZ 12u
#define PAUSE 0x07000000u
#define ENABLE 0x40000000u

#ifdef RP2350
#define BASE 0x400d8000u
#define TICK_CTRL 0x40108030u
#define TICK_CYCLES 0x40108034u
#define WDSEL 0x40018008u
#define BLOCKS 0x1ffffffu
#define OSCILLATORS 0xcu
#define STEP 1u
#else
#define BASE 0x40058000u
#define TICK_CTRL (BASE + 0x2cu) /* with the cycles */
#define WDSEL 0x40010008u
#define BLOCKS 0x1ffffu
#define OSCILLATORS 3u
#define STEP 2u /* at each tick */
#endif

static struct {
    uint32_t control, tick, cycles, select;
    uint32_t left;
} w = {.control = PAUSE};

uint32_t model_read(uintptr_t address) {
    (void)address;
    return 0xffffffffu; /* all is ready */
}

void model_write(uintptr_t address, uint32_t value) {
    if (address == WDSEL) {
        w.select = value;
        return;
    }
    if (address == TICK_CTRL) {
#ifdef RP2350
        w.tick = value & 1u;
#else
        w.tick = value >> 9 & 1u;
        w.cycles = value & 0x1ffu;
#endif
        if (w.tick && w.cycles == 0) {
            refuse("a tick of no cycles", value);
        }
        return;
    }
#ifdef RP2350
    if (address == TICK_CYCLES) {
        w.cycles = value;
        return;
    }
#endif
    const uintptr_t at = address - BASE;
    if (at >= 0x1000) {
        return;
    }
    switch (at) {
    case 0x0:
        if ((value & ~(PAUSE | ENABLE)) != 0) {
            refuse("a reset at once, or bits that are read only", value);
        }
        w.control = value;
        return;
    case 0x4:
        if (value > 0xffffffu) {
            refuse("more than 24 bits", value);
        }
        w.left = value;
        return;
    }
    refuse("no register", (uint32_t)at);
}

uint64_t model_pass(uint64_t us) {
    if ((w.control & ENABLE) == 0) {
        return 0;
    }
    if (w.tick == 0 || w.cycles != CRYSTAL_MHZ) {
        refuse("a watchdog without ticks of a microsecond", w.cycles);
    }
    if ((w.select & BLOCKS) != (BLOCKS & ~OSCILLATORS)) {
        refuse("a reset of something else than all but the oscillators", w.select);
    }
    if (us * STEP >= w.left) {
        return w.left / STEP + 1;
    }
    w.left -= (uint32_t)us * STEP;
    return 0;
}
