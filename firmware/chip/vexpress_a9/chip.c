/* Versatile Express with the CoreTile A9x4, legacy memory map: PL011 of the motherboard, GIC and global timer of the
 * Cortex-A9 MPCore (DUI 0447, DUI 0448). */
#include "chip/chip.h"

#include "drivers/a9_timer.h"
#include "drivers/gicv2.h"

#define PRIVATE 0x1e000000u /* PERIPHBASE */
#define GIC_CPU (PRIVATE + 0x100u)
#define TIMER (PRIVATE + 0x200u)
#define GIC_DISTRIBUTOR (PRIVATE + 0x1000u)
#define UART0 0x10009000u
#define TIMER_IRQ CF_A9_TIMER_IRQ
#define UART0_IRQ 37u /* shared interrupt 5 */
#define TIMER_HZ 100000000u /* PERIPHCLK, as QEMU has it; a quarter of the core's clock on a real one */

static const struct cf_chip_window windows[] = {
    {PRIVATE, 0x2000u},
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
    cf_a9_timer_init(TIMER);
    cf_gicv2_init(&gic);
}

struct cf_irq_claim cf_chip_irq_claim(void) {
    return cf_gicv2_claim(&gic);
}

void cf_chip_irq_complete(struct cf_irq_claim claim) {
    cf_gicv2_complete(&gic, claim);
}

uint32_t cf_chip_timer_hz(void) {
    return TIMER_HZ;
}

uint64_t cf_chip_timer_now(void) {
    return cf_a9_timer_now(TIMER);
}

void cf_chip_timer_arm(uint64_t at) {
    cf_a9_timer_arm(TIMER, at);
}

void cf_chip_timer_disarm(void) {
    cf_a9_timer_disarm(TIMER);
}
