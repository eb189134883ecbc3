/*
 * BCM2837 (Raspberry Pi 3): PL011 on GPIO 14 and 15, core-local timer interrupt.
 *
 * Only core 0 runs. The start-up code of the Raspberry Pi's own firmware holds the other three in a wait loop below
 * 0x1000, which stays untouched; where it does not run (QEMU), they reach our entry and are parked there.
 */
#include "chip/chip.h"

#include "hal/bcm_intc.h"
#include "hal/mmio.h"

#define PERIPHERALS 0x3f000000u
#define LOCAL 0x40000000u
#define GPIO (PERIPHERALS + 0x200000u)
#define UART0 (PERIPHERALS + 0x201000u)
#define UART0_IRQ 57u

static const struct cf_chip_window windows[] = {
    {PERIPHERALS, 0x1000000u},
    {LOCAL, 0x1000u},
};

const struct cf_chip cf_chip = {
    .windows = windows,
    .window_count = sizeof windows / sizeof windows[0],
    .uart = UART0,
};

static const struct cf_bcm_intc intc = {.peripheral = PERIPHERALS + 0xb200u, .local = LOCAL};

enum gpio_function { GPIO_INPUT = 0, GPIO_ALT0 = 4 };

static void gpio_function(uint32_t pin, enum gpio_function function) {
    const uintptr_t select = GPIO + (pin / 10u) * 4u;
    const uint32_t shift = (pin % 10u) * 3u;
    cf_mmio_write(select, (cf_mmio_read(select) & ~(7u << shift)) | ((uint32_t)function << shift));
}

/* The pull resistors are clocked in: value, 150 core cycles, clock, 150 core cycles. The loop is longer than that. */
static void gpio_pull(uint32_t pins, uint32_t pull) {
    const uintptr_t enable = GPIO + 0x94u;
    const uintptr_t clock = GPIO + 0x98u;
    cf_mmio_write(enable, pull);
    for (volatile uint32_t i = 0; i < 500u; i++) {
    }
    cf_mmio_write(clock, pins);
    for (volatile uint32_t i = 0; i < 500u; i++) {
    }
    cf_mmio_write(enable, 0);
    cf_mmio_write(clock, 0);
}

void cf_chip_init(void) {
    /* The firmware may have the PL011 at the Bluetooth chip: take those pins away, or both would drive its input. */
    gpio_function(32, GPIO_INPUT);
    gpio_function(33, GPIO_INPUT);
    gpio_function(14, GPIO_ALT0);
    gpio_function(15, GPIO_ALT0);
    gpio_pull(1u << 14, 0);
    gpio_pull(1u << 15, 2); /* up: an unconnected input reads as an idle line */
    cf_bcm_intc_init(&intc, UART0_IRQ);
}

struct cf_irq_claim cf_chip_irq_claim(void) {
    const uint32_t pending = cf_bcm_intc_pending(&intc);
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
