/* Registers: RISC-V Platform-Level Interrupt Controller Specification 1.0; machine mode of hart 0 is context 0. */
#include "drivers/plic.h"

#include "drivers/mmio.h"

enum {
    PRIORITY = 0x000000,
    ENABLE = 0x002000,
    THRESHOLD = 0x200000,
    CLAIM = 0x200004,
};

#define SOURCES 1024u

static uintptr_t enable_word(uintptr_t base, uint32_t source) {
    return base + ENABLE + source / 32u * 4u;
}

void cf_plic_init(uintptr_t base, uint32_t uart) {
    for (uint32_t source = 0; source < SOURCES; source += 32u) {
        cf_mmio_write(enable_word(base, source), 0);
    }
    cf_mmio_write(base + THRESHOLD, 0);
    cf_mmio_write(base + PRIORITY + uart * 4u, 1);
    cf_mmio_write(enable_word(base, uart), 1u << (uart & 31u));
    /* A restart in the middle of a handler leaves a claim without its end; ending one that is not open does nothing. */
    cf_mmio_write(base + CLAIM, uart);
}

struct cf_irq_claim cf_plic_claim(uintptr_t base, uint32_t uart) {
    struct cf_irq_claim claim = {CF_IRQ_NONE, cf_mmio_read(base + CLAIM)};
    if (claim.cookie == uart) {
        claim.source = CF_IRQ_UART;
    } else if (claim.cookie != 0) {
        cf_mmio_write(enable_word(base, claim.cookie), cf_mmio_read(enable_word(base, claim.cookie)) & ~(1u << (claim.cookie & 31u)));
        claim.source = CF_IRQ_UNKNOWN;
    }
    return claim;
}

void cf_plic_complete(uintptr_t base, struct cf_irq_claim claim) {
    if (claim.source == CF_IRQ_UART || claim.source == CF_IRQ_UNKNOWN) {
        cf_mmio_write(base + CLAIM, claim.cookie);
    }
}
