/* Arm Generic Interrupt Controller, version 2: one core, no priorities, no groups. */
#ifndef CF_GICV2_H
#define CF_GICV2_H

#include <stdint.h>

struct cf_gicv2 {
    uintptr_t distributor;
    uintptr_t cpu;
};

/* Disables and quiets everything, whatever state an earlier run left, then switches the controller on. */
void cf_gicv2_init(const struct cf_gicv2 *gic);

/* Routes an interrupt (id 0 to 1019) to this core and enables it. */
void cf_gicv2_enable(const struct cf_gicv2 *gic, uint32_t id);

void cf_gicv2_disable(const struct cf_gicv2 *gic, uint32_t id);

/* Acknowledges the next interrupt; the low 10 bits are its id, from 1020 on there was none. */
uint32_t cf_gicv2_claim(const struct cf_gicv2 *gic);

void cf_gicv2_complete(const struct cf_gicv2 *gic, uint32_t claimed);

#endif
