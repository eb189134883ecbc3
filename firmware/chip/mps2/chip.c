/* MPS2 FPGA images AN385 (Cortex-M3), AN386 (M4) and AN500 (M7): Arm application notes of these numbers. */
#include "arch/cortex-m/devices.h"
#include "platform/chip.h"

#define UART0 0x40004000u
#define UART0_RX_IRQ 0
#define CLOCK_HZ 25000000u
#define UART_HZ 25000000u

CF_VECTORS(UART0_RX_IRQ, UART0_RX_IRQ);

static const struct cf_watchdog watchdog = CF_CMSDK_WATCHDOG(0x40008000u, CLOCK_HZ / 1000u);

const struct cf_chip cf_chip = {
    .uart = &cf_cmsdk_uart,
    .uart_base = UART0,
    .uart_irq = UART0_RX_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
};

struct cf_rates cf_chip_init(void) {
    return (struct cf_rates){.clock_hz = CLOCK_HZ, .uart_hz = UART_HZ};
}
