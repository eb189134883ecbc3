/* RM0090 21.4 (RM0041 17.4, RM0433 46.4): keys, registers that need one, and take a value over in 5 cycles of the oscillator. */
#include "test/watchdog/models.h"

#ifndef IWDG_BASE
#define IWDG_BASE 0x40003000u
#endif
#define CYCLE_NS (1000000u / LSI_KHZ)
#define UPDATE_NS (5u * CYCLE_NS)

const int model_end = SLOWS;
const uint32_t model_grain = 256u * CYCLE_NS / 1000u;

static struct {
    bool runs, open;
    uint32_t prescaler, reload; /* as written */
    uint32_t used;              /* reload value that is in force */
    uint64_t left_ns;           /* of the count-down */
    uint64_t pending_ns[2];     /* until PR, RLR have been taken over */
} w = {.reload = 0xfff, .used = 0xfff};

static uint64_t of_count(uint32_t count) {
    return (uint64_t)count * (4ull << w.prescaler) * CYCLE_NS;
}

uint32_t model_read(uintptr_t address) {
    if (address == IWDG_BASE + 0xcu) {
        (void)model_pass(1); /* a look takes less */
        return (uint32_t)(w.pending_ns[0] != 0) | (uint32_t)(w.pending_ns[1] != 0) << 1;
    }
    return address == 0x40023800u || address == 0x40021000u ? 0 : 0xffffffffu; /* RCC: no oscillator gets ready, no rate matters */
}

void model_write(uintptr_t address, uint32_t value) {
    const uintptr_t at = address - IWDG_BASE;
    if (at >= 0x400) {
        return; /* another device */
    }
    if (at == 0x0) {
        w.open = value == 0x5555;
        if (value == 0xaaaa) {
            w.left_ns = of_count(w.used);
        } else if (value == 0xcccc) {
            if (!w.runs) {
                w.left_ns = of_count(w.used);
            }
            w.runs = true;
        } else if (value != 0x5555) {
            refuse("no key", value);
        }
        return;
    }
    if ((at != 0x4 && at != 0x8) || !w.open) {
        refuse("a register that is not there, or protected", (uint32_t)at);
    }
    if (value > (at == 0x4 ? 7u : 0xfffu)) {
        refuse("reserved bits", value);
    }
    const uint32_t n = at == 0x8;
    if (w.pending_ns[n] != 0) {
        refuse("a value before the last one has been taken over", value);
    }
    w.pending_ns[n] = UPDATE_NS;
    if (n) {
        w.reload = value;
    } else {
        w.prescaler = value;
    }
}

uint64_t model_pass(uint64_t us) {
    const uint64_t ns = us * 1000u;
    if (!w.runs) {
        return 0; /* and the oscillator is off */
    }
    for (int n = 0; n < 2; n++) {
        w.pending_ns[n] -= w.pending_ns[n] < ns ? w.pending_ns[n] : ns;
    }
    if (w.pending_ns[1] == 0) {
        w.used = w.reload;
    }
    if (ns >= w.left_ns) {
        return w.left_ns / 1000u + 1;
    }
    w.left_ns -= ns;
    return 0;
}
