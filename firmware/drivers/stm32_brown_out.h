/*
 * Brown-out reset of the STM32F4 and F7. Below 2.7 V neither the wait states nor words of stored programs are what the chip needs (RM0090
 * 3.5.1 and 3.6.2; F7: RM0410, chapter 3), but as delivered it resets below 1.8 V only. Level 3 of the brown-out reset, 2.7 V, is in the
 * option bytes (RM0090 3.6.5 and 5.2.2; RM0410, chapters 3 and 4), which outlive the runner: they are written once, the others as they were,
 * and hold from the next reset on.
 */
#ifndef CF_STM32_BROWN_OUT_H
#define CF_STM32_BROWN_OUT_H

#include "drivers/mmio.h"
#include "drivers/steps.h"

#define FLASH_OPTKEYR 0x40023c08u
#define FLASH_SR 0x40023c0cu
#define FLASH_OPTCR 0x40023c14u
#define SR_BSY (1u << 16)
#define OPTCR_LOCK (1u << 0)
#define OPTCR_START (1u << 1)
#define OPTCR_BROWN_OUT (3u << 2) /* level 3 is 0 */

static const struct cf_step brown_out[] = {
    CF_WRITE(FLASH_OPTKEYR, 0x08192a3b),
    CF_WRITE(FLASH_OPTKEYR, 0x4c5d6e7f),
    CF_AWAIT_ZEROS(FLASH_SR, SR_BSY),
    CF_GIVEN(FLASH_OPTCR, 0),
    CF_GIVEN(FLASH_OPTCR, OPTCR_START),
    CF_AWAIT_ZEROS(FLASH_SR, SR_BSY),
    CF_GIVEN(FLASH_OPTCR, OPTCR_LOCK),
    CF_END,
};

static void set_brown_out(void) {
    const uint32_t options = cf_mmio_read(FLASH_OPTCR);
    if ((options & OPTCR_BROWN_OUT) != 0) {
        (void)cf_steps(brown_out, options & ~(OPTCR_BROWN_OUT | OPTCR_START | OPTCR_LOCK));
    }
}

#endif
