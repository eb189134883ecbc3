/* What a list of steps says. */
#include "drivers/steps.h"

#include "drivers/mmio.h"

/* A crystal takes 2 ms at most, a PLL less. A look is at least 5 cycles of a clock that is slow until then, of 16 MHz at most. */
#define LOOKS 20000u

bool cf_steps(const struct cf_step *steps, uint32_t count) {
    for (const struct cf_step *step = steps; step < steps + count; step++) {
        const uintptr_t address = step->what & ~(uintptr_t)3u;
        const bool ones = (step->what & CF_STEP_ONES) != 0;
        uint32_t looks = LOOKS;
        if ((step->what & CF_STEP_WAIT) == 0) {
            cf_mmio_write(address, step->bits | (ones ? cf_mmio_read(address) : 0));
            continue;
        }
        while (((ones ? ~cf_mmio_read(address) : cf_mmio_read(address)) & step->bits) != 0) {
            if (--looks == 0) {
                return false;
            }
        }
    }
    return true;
}
