/* QEMU's "virt" machine for RISC-V: 16550, CLINT and PLIC at fixed addresses (hw/riscv/virt.c). */
#include "chip/chip.h"

#include "drivers/clint.h"
#include "drivers/plic.h"

#define CLINT 0x02000000u
#define PLIC 0x0c000000u
#define UART0 0x10000000u
#define UART0_IRQ 10u
#define TIMER_HZ 10000000u

#define MIP_TIMER (1u << 7)

const struct cf_chip cf_chip = {
    .uart = &cf_ns16550,
    .uart_base = UART0,
};

void cf_chip_init(void) {
    cf_plic_init(PLIC, UART0_IRQ);
}

struct cf_irq_claim cf_chip_irq_claim(void) {
    uintptr_t pending;
    __asm__ volatile("csrr %0, mip" : "=r"(pending));
    if ((pending & MIP_TIMER) != 0) {
        return (struct cf_irq_claim){CF_IRQ_TIMER, 0};
    }
    return cf_plic_claim(PLIC, UART0_IRQ);
}

void cf_chip_irq_complete(struct cf_irq_claim claim) {
    cf_plic_complete(PLIC, claim); /* the timer's drops when it is armed anew, or disarmed */
}

uint32_t cf_chip_timer_hz(void) {
    return TIMER_HZ;
}

uint64_t cf_chip_timer_now(void) {
    return cf_clint_now(CLINT);
}

void cf_chip_timer_arm(uint64_t at) {
    cf_clint_arm(CLINT, at);
}

void cf_chip_timer_disarm(void) {
    cf_clint_disarm(CLINT);
}
