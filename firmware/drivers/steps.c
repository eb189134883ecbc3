/* What a list of steps says. */
#include "drivers/steps.h"

#include "drivers/mmio.h"

/* A crystal takes 2 ms at most, a PLL less. A look is at least 5 cycles of a clock that is slow until then, of 16 MHz at most. */
#define LOOKS 20000u

bool cf_steps(const struct cf_step *step, uint32_t given) {
    for (; step->what != 0; step++) {
        const uintptr_t address = step->what & ~(uintptr_t)3u;
        const bool plain = (step->what & CF_STEP_PLAIN) != 0;
        const uint32_t bits = (uint32_t)step->bits;
        if ((step->what & CF_STEP_WAIT) == 0) {
            cf_mmio_write(address, plain ? bits : bits | given);
            continue;
        }
        uint32_t looks = LOOKS;
        while (((plain ? cf_mmio_read(address) : ~cf_mmio_read(address)) & bits) != 0) {
            if (--looks == 0) {
                return false;
            }
        }
    }
    return true;
}
