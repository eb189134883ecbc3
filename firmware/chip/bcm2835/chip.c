/* BCM2835 (Raspberry Pi 1 and Zero): PL011 on GPIO 14 and 15, system timer. */
#include "drivers/bcm_gpio.h"
#include "drivers/bcm_mailbox.h"
#include "drivers/bcm_rng.h"
#include "platform/chip.h"

#define PERIPHERALS 0x20000000u
#define TIMER (PERIPHERALS + 0x3000u)
#define INTC (PERIPHERALS + 0xb200u)
#define MAILBOX (PERIPHERALS + 0xb880u)
#define RNG (PERIPHERALS + 0x104000u)
#define GPIO (PERIPHERALS + 0x200000u)
#define UART0 (PERIPHERALS + 0x201000u)
#define UART0_IRQ 57u

static const struct cf_chip_window windows[] = {
    {PERIPHERALS, 0x1000000u},
};

static const struct cf_watchdog watchdog = CF_BCM_WATCHDOG(PERIPHERALS + 0x100000u);

const struct cf_chip cf_chip = {
    .uart = &cf_pl011,
    .uart_base = UART0,
    .uart_irq = UART0_IRQ,
    .clock = &cf_bcm_timer,
    .clock_base = TIMER,
    .clock_irq = CF_BCM_TIMER_IRQ,
    .irq = &cf_bcm_intc,
    .irq_base = {INTC},
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
    .watchdog = &watchdog,
};

uint32_t cf_chip_noise(void) {
    return cf_bcm_rng(RNG);
}

uint32_t cf_chip_conditions(void) {
    return cf_bcm_conditions(MAILBOX, CF_BCM_CACHED);
}

struct cf_rates cf_chip_init(void) {
    cf_bcm_rng_start(RNG);
    cf_bcm_gpio_uart(GPIO);
    return (struct cf_rates){.clock_hz = CF_BCM_TIMER_HZ, .uart_hz = cf_bcm_uart_hz(MAILBOX, CF_BCM_CACHED)};
}
