/* QEMU's "virt" machine for RISC-V: 16550, CLINT and PLIC at fixed addresses (hw/riscv/virt.c). */
#include "platform/chip.h"

#define FLASH1 0x22000000u
#define CLINT 0x02000000u
#define PLIC 0x0c000000u
#define UART0 0x10000000u
#define UART_HZ 3686400u
#define UART0_IRQ 10u
#define TIMER_HZ 10000000u

const struct cf_store_memory cf_hal_store_memory = CF_QEMU_FLASH(FLASH1); /* all of the bank */

const struct cf_chip cf_chip = {
    .uart = &cf_ns16550,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_clint,
    .clock_base = CLINT,
    .clock_irq = CF_IRQ_CORE,
    .irq = &cf_plic,
    .irq_base = {PLIC},
    .flash = &cf_cfi_flash,
    .line_broken = cf_ns16550_broken,
};

struct cf_rates cf_chip_init(void) {
    return (struct cf_rates){.clock_hz = TIMER_HZ, .uart_hz = UART_HZ};
}
