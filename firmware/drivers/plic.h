/* Platform-level interrupt controller of RISC-V chips: one source, for machine mode of hart 0. */
#ifndef CF_PLIC_H
#define CF_PLIC_H

#include "drivers/irq.h"

/* Disables all sources but that of the UART, whatever state an earlier run left. `uart` is 1 to 1023. */
void cf_plic_init(uintptr_t base, uint32_t uart);

/* As cf_chip_irq_claim and cf_chip_irq_complete. */
struct cf_irq_claim cf_plic_claim(uintptr_t base, uint32_t uart);
void cf_plic_complete(uintptr_t base, struct cf_irq_claim claim);

#endif
