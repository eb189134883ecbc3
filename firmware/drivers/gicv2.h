/* Arm Generic Interrupt Controller, version 2 or 1: one core, two interrupts, no priorities, no groups. */
#ifndef CF_GICV2_H
#define CF_GICV2_H

#include "drivers/irq.h"

struct cf_gicv2 {
    uintptr_t distributor;
    uintptr_t cpu;
    uint32_t uart; /* ids, 0 to 1019 */
    uint32_t timer;
};

/* Disables and quiets everything, whatever state an earlier run left, then switches the controller on with the two
 * interrupts routed to this core. */
void cf_gicv2_init(const struct cf_gicv2 *gic);

/* As cf_chip_irq_claim and cf_chip_irq_complete. */
struct cf_irq_claim cf_gicv2_claim(const struct cf_gicv2 *gic);
void cf_gicv2_complete(const struct cf_gicv2 *gic, struct cf_irq_claim claim);

#endif
