/* Register names: Arm Generic Interrupt Controller Architecture Specification 2.0, IHI 0048. */
#include "drivers/gicv2.h"

#include "drivers/mmio.h"

enum {
    GICD_CTLR = 0x000,
    GICD_TYPER = 0x004,
    GICD_ISENABLER = 0x100,
    GICD_ICENABLER = 0x180,
    GICD_ICPENDR = 0x280,
    GICD_ISACTIVER = 0x300,
    GICD_ITARGETSR = 0x800,

    GICC_CTLR = 0x00,
    GICC_PMR = 0x04,
    GICC_IAR = 0x0c,
    GICC_EOIR = 0x10,
};

#define FIRST_SPECIAL 1020u /* id: nothing is pending */

static uintptr_t bank(uintptr_t registers, uint32_t id) {
    return registers + (id / 32u) * 4u;
}

static void enable(const struct cf_gicv2 *gic, uint32_t id) {
    /* One target byte per interrupt; ids below 32 belong to a core and have a fixed one. */
    if (id >= 32u) {
        const uintptr_t targets = gic->distributor + GICD_ITARGETSR + (id & ~3u);
        const uint32_t shift = (id & 3u) * 8u;
        cf_mmio_write(targets, (cf_mmio_read(targets) & ~(0xffu << shift)) | (1u << shift));
    }
    cf_mmio_write(bank(gic->distributor + GICD_ISENABLER, id), 1u << (id & 31u));
}

/* A restart in the middle of a handler leaves its interrupt active, and with it a priority that would hold back all
 * others. Ending it is what version 1 understands, too. */
static void end_active(const struct cf_gicv2 *gic, uint32_t banks) {
    for (uint32_t id = 0; id < banks * 32u; id++) {
        if ((cf_mmio_read(bank(gic->distributor + GICD_ISACTIVER, id)) >> (id & 31u) & 1u) != 0) {
            cf_mmio_write(gic->cpu + GICC_EOIR, id);
        }
    }
}

void cf_gicv2_init(const struct cf_gicv2 *gic) {
    cf_mmio_write(gic->cpu + GICC_CTLR, 0);
    cf_mmio_write(gic->distributor + GICD_CTLR, 0);
    const uint32_t banks = (cf_mmio_read(gic->distributor + GICD_TYPER) & 0x1fu) + 1u;
    for (uint32_t id = 0; id < banks * 32u; id += 32u) {
        cf_mmio_write(bank(gic->distributor + GICD_ICENABLER, id), ~0u);
        cf_mmio_write(bank(gic->distributor + GICD_ICPENDR, id), ~0u);
    }
    cf_mmio_write(gic->cpu + GICC_PMR, 0xff);
    cf_mmio_write(gic->distributor + GICD_CTLR, 1);
    cf_mmio_write(gic->cpu + GICC_CTLR, 1);
    end_active(gic, banks);
    enable(gic, gic->timer);
    enable(gic, gic->uart);
}

struct cf_irq_claim cf_gicv2_claim(const struct cf_gicv2 *gic) {
    struct cf_irq_claim claim = {CF_IRQ_NONE, cf_mmio_read(gic->cpu + GICC_IAR)};
    const uint32_t id = claim.cookie & 0x3ffu;
    if (id == gic->timer) {
        claim.source = CF_IRQ_TIMER;
    } else if (id == gic->uart) {
        claim.source = CF_IRQ_UART;
    } else if (id < FIRST_SPECIAL) {
        cf_mmio_write(bank(gic->distributor + GICD_ICENABLER, id), 1u << (id & 31u));
        claim.source = CF_IRQ_UNKNOWN;
    }
    return claim;
}

void cf_gicv2_complete(const struct cf_gicv2 *gic, struct cf_irq_claim claim) {
    if (claim.source != CF_IRQ_NONE) {
        cf_mmio_write(gic->cpu + GICC_EOIR, claim.cookie);
    }
}
