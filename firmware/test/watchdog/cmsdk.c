/* Cortex-M System Design Kit, DDI 0479, 4.6; with LM3S the one of the LM3S6965 (data sheet, chapter 11), which cannot be turned off and
 * whose interrupt is not enabled. */
#include "test/watchdog/models.h"

const uint32_t model_grain = COUNTS_PER_MS < 1000u ? 1000u / COUNTS_PER_MS + 1u : 1u;

#ifdef LM3S
const int model_end = SLOWS;
#define RCGC0 0x400fe100u
#else
const int model_end = STOPS;
#endif

static struct {
    uint32_t load, control;
    uint32_t clock; /* LM3S: RCGC0 */
    bool raised;
    uint64_t left; /* counts */
} w = {.load = 0xffffffffu};

uint32_t model_read(uintptr_t address) {
    return address == 0x400fe050u ? 1u << 6 : 0; /* the PLL has locked */
}

void model_write(uintptr_t address, uint32_t value) {
    const uintptr_t at = address - WATCHDOG_BASE;
#ifdef LM3S
    if (address == RCGC0) {
        w.clock = value;
    }
    if (at < 0x1000 && (w.clock & 1u << 3) == 0) {
        refuse("access without a clock: a bus fault", (uint32_t)at);
    }
#endif
    if (at >= 0x1000) {
        return;
    }
    switch (at) {
    case 0x0:
        w.load = value;
        w.left = value;
        return;
    case 0x8:
        if ((value & ~3u) != 0) {
            refuse("reserved bits of the control register", value);
        }
#ifdef LM3S
        if ((w.control & 1u) != 0) {
            return; /* until a reset */
        }
#endif
        if ((w.control & 1u) == 0 && (value & 1u) != 0) {
            w.left = w.load;
        }
        w.control = value;
        return;
    case 0xc:
        w.raised = false;
        w.left = w.load;
        return;
    }
    refuse("no register, or one to be read", (uint32_t)at);
}

uint64_t model_pass(uint64_t us) {
    uint64_t counts = us * COUNTS_PER_MS / 1000u;
    const uint64_t all = counts;
    if ((w.control & 1u) == 0) {
        return 0;
    }
    while (counts >= w.left) {
        counts -= w.left;
        w.left = w.load;
#ifdef LM3S
        if (!w.raised) {
            w.raised = true;
            continue;
        }
        if ((w.control & 2u) == 0) {
            refuse("a second 0 that does not reset", w.control);
        }
#endif
        return (all - counts) * 1000u / COUNTS_PER_MS + 1; /* the NMI restarts the chip */
    }
    w.left -= counts;
    return 0;
}
