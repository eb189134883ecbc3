/* What chips name of a Cortex-M core. */
#ifndef CF_M_DEVICES_H
#define CF_M_DEVICES_H

#include "drivers/clock.h"
#include "drivers/irq.h"

/* Cycles before a tick of the loop, for `guard` of a chip: more than twice what other handlers and masked stretches take. Some
 * UARTs hand over a whole FIFO at once. */
#define CF_M_GUARD 512
#define CF_M_GUARD_FIFO 1024

extern const struct cf_clock_driver cf_systick; /* 24 bits at the processor's rate; its interrupt is CF_IRQ_CORE */
extern const struct cf_irq_driver cf_nvic;

/* Vectors of the interrupts that the chip's drivers use, the lowest of which is FIRST_IRQ in memory.ld; for chip.c, once. Where
 * those of lower ones would be, which are never enabled, the linker puts what the chip's gap.ld names. */
#define CF_VECTORS(first, last)                                                                                    \
    __attribute__((section(".vectors.irq"), used)) static void (*const vectors[(last) - (first) + 1])(void) = {    \
        [0 ... (last) - (first)] = cf_m_interrupt}

void cf_m_interrupt(void);

#endif
