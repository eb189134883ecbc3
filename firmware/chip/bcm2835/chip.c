/* BCM2835 (Raspberry Pi 1 and Zero): PL011 on GPIO 14 and 15, system timer. */
#include "chip/chip.h"

#include "drivers/bcm_gpio.h"
#include "drivers/bcm_intc.h"
#include "drivers/bcm_rng.h"
#include "drivers/bcm_timer.h"

#define PERIPHERALS 0x20000000u
#define TIMER (PERIPHERALS + 0x3000u)
#define INTC (PERIPHERALS + 0xb200u)
#define RNG (PERIPHERALS + 0x104000u)
#define GPIO (PERIPHERALS + 0x200000u)
#define UART0 (PERIPHERALS + 0x201000u)
#define UART0_IRQ 57u

static const struct cf_chip_window windows[] = {
    {PERIPHERALS, 0x1000000u},
};

static uint32_t noise(void) {
    return cf_bcm_rng(RNG);
}

const struct cf_chip cf_chip = {
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
    .uart = &cf_pl011,
    .uart_base = UART0,
    .noise = noise,
};

void cf_chip_init(void) {
    cf_bcm_rng_start(RNG);
    cf_bcm_gpio_uart(GPIO);
    cf_bcm_intc_init(INTC, 1ull << UART0_IRQ | 1ull << CF_BCM_TIMER_IRQ);
}

struct cf_irq_claim cf_chip_irq_claim(void) {
    const uint64_t pending = cf_bcm_intc_pending(INTC);
    struct cf_irq_claim claim = {CF_IRQ_NONE, 0};
    if ((pending & 1ull << CF_BCM_TIMER_IRQ) != 0) {
        claim.source = CF_IRQ_TIMER;
    } else if ((pending & 1ull << UART0_IRQ) != 0) {
        claim.source = CF_IRQ_UART;
    }
    return claim;
}

void cf_chip_irq_complete(struct cf_irq_claim claim) {
    (void)claim; /* levels: they drop with their source */
}

uint32_t cf_chip_timer_hz(void) {
    return CF_BCM_TIMER_HZ;
}

uint64_t cf_chip_timer_now(void) {
    return cf_bcm_timer_now(TIMER);
}

void cf_chip_timer_arm(uint64_t at) {
    cf_bcm_timer_arm(TIMER, at);
}

void cf_chip_timer_disarm(void) {
    cf_bcm_timer_disarm(TIMER);
}
