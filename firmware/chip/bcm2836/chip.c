/*
 * BCM2836 (Raspberry Pi 2) and BCM2837 (Raspberry Pi 3), which differ in their cores only: PL011 on GPIO 14 and 15,
 * generic timer, one interrupt controller of the peripherals behind another one of the cores.
 *
 * Only core 0 runs. The start-up code of the Raspberry Pi's own firmware holds the other three in a wait loop below
 * 0x1000, which stays untouched; where it does not run (QEMU), they reach our entry and are parked there.
 */
#include "chip/chip.h"

#include "drivers/bcm_gpio.h"
#include "drivers/bcm_intc.h"
#include "drivers/bcm_rng.h"
#include "drivers/generic_timer.h"

#define PERIPHERALS 0x3f000000u
#define INTC (PERIPHERALS + 0xb200u)
#define LOCAL 0x40000000u
#define RNG (PERIPHERALS + 0x104000u)
#define GPIO (PERIPHERALS + 0x200000u)
#define UART0 (PERIPHERALS + 0x201000u)
#define UART0_IRQ 57u

static const struct cf_chip_window windows[] = {
    {PERIPHERALS, 0x1000000u},
    {LOCAL, 0x1000u},
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
    cf_bcm_intc_init(INTC, 1ull << UART0_IRQ);
    cf_bcm_local_init(LOCAL);
}

struct cf_irq_claim cf_chip_irq_claim(void) {
    const uint32_t pending = cf_bcm_local_pending(LOCAL);
    struct cf_irq_claim claim = {CF_IRQ_NONE, 0};
    if ((pending & CF_BCM_LOCAL_TIMER) != 0) {
        claim.source = CF_IRQ_TIMER;
    } else if ((pending & CF_BCM_LOCAL_PERIPHERAL) != 0) {
        claim.source = CF_IRQ_UART; /* the only one that is enabled */
    }
    return claim;
}

void cf_chip_irq_complete(struct cf_irq_claim claim) {
    (void)claim; /* levels: they drop with their source */
}

uint32_t cf_chip_timer_hz(void) {
    return cf_generic_timer_hz();
}

uint64_t cf_chip_timer_now(void) {
    return cf_generic_timer_now();
}

void cf_chip_timer_arm(uint64_t at) {
    cf_generic_timer_arm(at);
}

void cf_chip_timer_disarm(void) {
    cf_generic_timer_disarm();
}
