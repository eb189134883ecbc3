/*
 * BCM2836 (Raspberry Pi 2) and BCM2837 (Raspberry Pi 3), which differ in their cores only: PL011 on GPIO 14 and 15,
 * generic timer, one interrupt controller of the peripherals behind another one of the cores.
 *
 * Only core 0 runs. The start-up code of the Raspberry Pi's own firmware holds the other three in a wait loop below
 * 0x1000, which stays untouched; where it does not run (QEMU), they reach our entry and are parked there.
 */
#include "drivers/bcm_gpio.h"
#include "drivers/bcm_mailbox.h"
#include "drivers/bcm_rng.h"
#include "platform/chip.h"

#define PERIPHERALS 0x3f000000u
#define INTC (PERIPHERALS + 0xb200u)
#define LOCAL 0x40000000u
#define MAILBOX (PERIPHERALS + 0xb880u)
#define RNG (PERIPHERALS + 0x104000u)
#define GPIO (PERIPHERALS + 0x200000u)
#define UART0 (PERIPHERALS + 0x201000u)
#define UART0_IRQ 57u

static const struct cf_chip_window windows[] = {
    {PERIPHERALS, 0x1000000u},
    {LOCAL, 0x1000u},
};

static const struct cf_watchdog watchdog = CF_BCM_WATCHDOG(PERIPHERALS + 0x100000u);

const struct cf_chip cf_chip = {
    .uart = &cf_pl011,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_generic_timer,
    .clock_irq = CF_IRQ_CORE,
    .irq = &cf_bcm_local,
    .irq_base = {INTC, LOCAL},
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
    .watchdog = &watchdog,
};

uint32_t cf_chip_noise(void) {
    return cf_bcm_rng(RNG);
}

uint32_t cf_chip_conditions(void) {
    return cf_bcm_conditions(MAILBOX, CF_BCM_UNCACHED);
}

struct cf_rates cf_chip_init(void) {
    cf_bcm_rng_start(RNG);
    cf_bcm_gpio_uart(GPIO);
    return (struct cf_rates){.clock_hz = cf_generic_timer_hz(), .uart_hz = cf_bcm_uart_hz(MAILBOX, CF_BCM_UNCACHED)};
}
