/* What chips name of a Cortex-M core. */
#ifndef CF_M_DEVICES_H
#define CF_M_DEVICES_H

#include "drivers/clock.h"
#include "drivers/irq.h"

extern const struct cf_clock_driver cf_systick; /* 24 bits at the processor's rate; its interrupt is CF_IRQ_CORE */
extern const struct cf_irq_driver cf_nvic;

/* Vectors of the interrupts that the chip's drivers use, the lowest of which is FIRST_IRQ in memory.ld; for chip.c, once. Where
 * those of lower ones would be, which are never enabled, the linker puts what the chip's gap.ld names. */
#define CF_VECTORS(first, last)                                                                                    \
    __attribute__((section(".vectors.irq"), used)) static void (*const vectors[(last) - (first) + 1])(void) = {    \
        [0 ... (last) - (first)] = cf_m_interrupt}

void cf_m_interrupt(void);

#endif
