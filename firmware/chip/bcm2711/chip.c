/*
 * BCM2711 (Raspberry Pi 4), its peripherals low as the firmware leaves them: PL011 on GPIO 14 and 15, GIC-400, generic
 * timer. Addresses and numbers: BCM2711 ARM Peripherals, chapters 1 and 6.
 *
 * Only core 0 runs. The start-up code of the Raspberry Pi's firmware holds the other three in a wait loop below 0x1000,
 * which stays untouched; it has also given all interrupts of the GIC to the non-secure side.
 */
#include "drivers/bcm_gpio.h"
#include "drivers/bcm_mailbox.h"
#include "drivers/bcm_rng.h"
#include "platform/arch.h"
#include "platform/chip.h"

#define PERIPHERALS 0xfe000000u
#define MAILBOX (PERIPHERALS + 0xb880u)
#define RNG (PERIPHERALS + 0x104000u)
#define GPIO (PERIPHERALS + 0x200000u)
#define UART0 (PERIPHERALS + 0x201000u)
#define GIC_DISTRIBUTOR 0xff841000u
#define GIC_CPU 0xff842000u
#define UART0_IRQ 153u /* VideoCore interrupt 57, shared interrupt 96 + 25 */

static const struct cf_chip_window windows[] = {
    {PERIPHERALS, 0x1000000u},
    {GIC_DISTRIBUTOR, 0x3000u},
};

static const struct cf_watchdog watchdog = CF_BCM_WATCHDOG(PERIPHERALS + 0x100000u);

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
    .watchdog = &watchdog,
};

/* QEMU's raspi4b has no random numbers. */
static bool has_rng(void) {
    return cf_arch_answers(RNG);
}

uint32_t cf_chip_noise(void) {
    return has_rng() ? cf_bcm_rng_2711(RNG) : 0;
}

uint32_t cf_chip_conditions(void) {
    return cf_bcm_conditions(MAILBOX, CF_BCM_UNCACHED);
}

struct cf_rates cf_chip_init(void) {
    if (has_rng()) {
        cf_bcm_rng_start_2711(RNG);
    }
    cf_bcm_gpio_uart_2711(GPIO);
    return (struct cf_rates){.clock_hz = cf_generic_timer_hz(), .uart_hz = cf_bcm_uart_hz(MAILBOX, CF_BCM_UNCACHED)};
}
