/*
 * BCM2711 (Raspberry Pi 4), its peripherals low as the firmware leaves them: PL011 on GPIO 14 and 15, GIC-400, generic
 * timer. Addresses and numbers: BCM2711 ARM Peripherals, chapters 1 and 6.
 *
 * Only core 0 runs. The start-up code of the Raspberry Pi's firmware holds the other three in a wait loop below 0x1000,
 * which stays untouched; it has also given all interrupts of the GIC to the non-secure side.
 */
#include "chip/chip.h"

#include "drivers/bcm_gpio.h"
#include "drivers/bcm_rng.h"
#include "drivers/generic_timer.h"
#include "drivers/gicv2.h"

#define PERIPHERALS 0xfe000000u
#define RNG (PERIPHERALS + 0x104000u)
#define GPIO (PERIPHERALS + 0x200000u)
#define UART0 (PERIPHERALS + 0x201000u)
#define GIC_DISTRIBUTOR 0xff841000u
#define GIC_CPU 0xff842000u
#define TIMER_IRQ 27u  /* virtual timer, private interrupt 11 */
#define UART0_IRQ 153u /* VideoCore interrupt 57, shared interrupt 96 + 25 */

static const struct cf_chip_window windows[] = {
    {PERIPHERALS, 0x1000000u},
    {GIC_DISTRIBUTOR, 0x3000u},
};

static uint32_t noise(void) {
    return cf_bcm_rng_2711(RNG);
}

const struct cf_chip cf_chip = {
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
    .uart = &cf_pl011,
    .uart_base = UART0,
    .noise = noise,
};

static const struct cf_gicv2 gic = {.distributor = GIC_DISTRIBUTOR, .cpu = GIC_CPU, .uart = UART0_IRQ, .timer = TIMER_IRQ};

void cf_chip_init(void) {
    cf_bcm_rng_start_2711(RNG);
    cf_bcm_gpio_uart_2711(GPIO);
    cf_gicv2_init(&gic);
}

struct cf_irq_claim cf_chip_irq_claim(void) {
    return cf_gicv2_claim(&gic);
}

void cf_chip_irq_complete(struct cf_irq_claim claim) {
    cf_gicv2_complete(&gic, claim);
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
