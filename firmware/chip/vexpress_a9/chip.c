/* Versatile Express with the CoreTile A9x4, legacy memory map: PL011 of the motherboard, GIC and global timer of the
 * Cortex-A9 MPCore (DUI 0447, DUI 0448). */
#include "platform/chip.h"

#define PRIVATE 0x1e000000u /* PERIPHBASE */
#define GIC_CPU (PRIVATE + 0x100u)
#define TIMER (PRIVATE + 0x200u)
#define GIC_DISTRIBUTOR (PRIVATE + 0x1000u)
#define UART0 0x10009000u
#define UART_HZ 24000000u
#define UART0_IRQ 37u /* shared interrupt 5 */
#define TIMER_HZ 100000000u /* PERIPHCLK, as QEMU has it; a quarter of the core's clock on a real one */

static const struct cf_chip_window windows[] = {
    {PRIVATE, 0x2000u},
    {UART0, 0x1000u},
};

const struct cf_chip cf_chip = {
    .uart = &cf_pl011,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_a9_timer,
    .clock_base = TIMER,
    .clock_irq = CF_A9_TIMER_IRQ,
    .irq = &cf_gicv2,
    .irq_base = {GIC_DISTRIBUTOR, GIC_CPU},
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
};

struct cf_rates cf_chip_init(void) {
    return (struct cf_rates){.clock_hz = TIMER_HZ, .uart_hz = UART_HZ};
}
