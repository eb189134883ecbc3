/* QEMU's "virt" machine: PL011 and GICv2 at fixed addresses (hw/arm/virt.c; the device tree says the same). */
#include "platform/chip.h"

#define FLASH1 0x04000000u
#define GIC_DISTRIBUTOR 0x08000000u
#define GIC_CPU 0x08010000u
#define UART0 0x09000000u
#define UART_HZ 24000000u
#define UART0_IRQ 33u /* shared interrupt 1 */

static const struct cf_chip_window windows[] = {
    {GIC_DISTRIBUTOR, 0x20000u},
    {UART0, 0x1000u},
    {FLASH1, 0x2000000u},
};

const struct cf_store_memory cf_hal_store_memory = CF_QEMU_FLASH(FLASH1); /* half of the bank */

const struct cf_chip cf_chip = {
    .uart = &cf_pl011,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_generic_timer,
    .clock_irq = CF_GENERIC_TIMER_IRQ,
    .irq = &cf_gicv2,
    .irq_base = {GIC_DISTRIBUTOR, GIC_CPU},
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
    .flash = &cf_cfi_flash,
    .line_broken = cf_pl011_broken,
};

struct cf_rates cf_chip_init(void) {
    return (struct cf_rates){.clock_hz = cf_generic_timer_hz(), .uart_hz = UART_HZ};
}
