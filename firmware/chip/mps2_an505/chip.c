/* MPS2 FPGA image AN505 (Cortex-M33 in an SSE-200), all secure: Arm application note 505. */
#include "arch/cortex-m/devices.h"
#include "platform/chip.h"

#define UART0 0x50200000u
#define UART0_RX_IRQ 32
#define CLOCK_HZ 20000000u
#define UART_HZ 20000000u

CF_VECTORS(UART0_RX_IRQ, UART0_RX_IRQ);

/* The secure one of the SSE-200. */
static const struct cf_watchdog watchdog = CF_CMSDK_WATCHDOG(0x50081000u, CLOCK_HZ / 1000u);

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
