/* QEMU's "virt" machine: PL011 and GICv2 at fixed addresses (hw/arm/virt.c; the device tree says the same). */
#include "chip/chip.h"

#include "drivers/generic_timer.h"
#include "drivers/gicv2.h"

#define GIC_DISTRIBUTOR 0x08000000u
#define GIC_CPU 0x08010000u
#define UART0 0x09000000u
#define TIMER_IRQ 27u /* virtual timer, private interrupt 11 */
#define UART0_IRQ 33u /* shared interrupt 1 */

static const struct cf_chip_window windows[] = {
    {GIC_DISTRIBUTOR, 0x20000u},
    {UART0, 0x1000u},
};

const struct cf_chip cf_chip = {
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
    .uart = &cf_pl011,
    .uart_base = UART0,
};

static const struct cf_gicv2 gic = {.distributor = GIC_DISTRIBUTOR, .cpu = GIC_CPU, .uart = UART0_IRQ, .timer = TIMER_IRQ};

void cf_chip_init(void) {
    cf_gicv2_init(&gic);
}

struct cf_irq_claim cf_chip_irq_claim(void) {
    return cf_gicv2_claim(&gic);
}

void cf_chip_irq_complete(struct cf_irq_claim claim) {
    cf_gicv2_complete(&gic, claim);
}

uint32_t cf_chip_timer_hz(void) {
    return cf_generic_timer_hz();
}

uint64_t cf_chip_timer_now(void) {
    return cf_generic_timer_now();
}

void cf_chip_timer_arm(uint64_t at) {
    cf_generic_timer_arm(at);
}

void cf_chip_timer_disarm(void) {
    cf_generic_timer_disarm();
}
