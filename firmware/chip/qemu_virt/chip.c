/* QEMU's "virt" machine: PL011 and GICv2 at fixed addresses (hw/arm/virt.c; the device tree says the same). */
#include "chip/chip.h"

#include "hal/gicv2.h"

#define GIC_DISTRIBUTOR 0x08000000u
#define GIC_CPU 0x08010000u
#define UART0 0x09000000u
#define TIMER_IRQ 27u /* virtual timer, private interrupt 11 */
#define UART0_IRQ 33u /* shared interrupt 1 */
#define FIRST_SPECIAL_IRQ 1020u

static const struct cf_chip_window windows[] = {
    {GIC_DISTRIBUTOR, 0x20000u},
    {UART0, 0x1000u},
};

const struct cf_chip cf_chip = {
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
    .uart = UART0,
};

static const struct cf_gicv2 gic = {.distributor = GIC_DISTRIBUTOR, .cpu = GIC_CPU};

void cf_chip_init(void) {
    cf_gicv2_init(&gic);
    cf_gicv2_enable(&gic, TIMER_IRQ);
    cf_gicv2_enable(&gic, UART0_IRQ);
}

struct cf_irq_claim cf_chip_irq_claim(void) {
    struct cf_irq_claim claim = {CF_IRQ_NONE, cf_gicv2_claim(&gic)};
    const uint32_t id = claim.cookie & 0x3ffu;
    if (id == TIMER_IRQ) {
        claim.source = CF_IRQ_TIMER;
    } else if (id == UART0_IRQ) {
        claim.source = CF_IRQ_UART;
    } else if (id < FIRST_SPECIAL_IRQ) {
        cf_gicv2_disable(&gic, id);
        claim.source = CF_IRQ_UNKNOWN;
    }
    return claim;
}

void cf_chip_irq_complete(struct cf_irq_claim claim) {
    if (claim.source != CF_IRQ_NONE) {
        cf_gicv2_complete(&gic, claim.cookie);
    }
}
