/* MPS3 FPGA image AN547 (Cortex-M55 in an SSE-300), all secure: Arm application note 547. */
#include "arch/cortex-m/devices.h"
#include "platform/chip.h"

#define UART0 0x59303000u
#define UART0_RX_IRQ 33
#define CLOCK_HZ 32000000u
#define UART_HZ 25000000u

CF_VECTORS(UART0_RX_IRQ, UART0_RX_IRQ);

/* The one of the SSE-300 that counts the slow clock of 32 kHz, in the secure address space. */
static const struct cf_watchdog watchdog = CF_CMSDK_WATCHDOG(0x5802e000u, 32u);

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
