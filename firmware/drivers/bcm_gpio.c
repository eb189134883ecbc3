/* Registers: BCM2835 ARM Peripherals, chapter 6; BCM2711 ARM Peripherals, chapter 5. */
#include "drivers/bcm_gpio.h"

#include "drivers/mmio.h"

enum function { INPUT = 0, ALT0 = 4 };

enum {
    SEND_PIN = 14,
    RECEIVE_PIN = 15,
    BLUETOOTH_PIN = 32, /* and the next one: where the firmware may have put the PL011 */
};

static void set_function(uintptr_t gpio, uint32_t pin, enum function function) {
    const uintptr_t select = gpio + (pin / 10u) * 4u;
    const uint32_t shift = (pin % 10u) * 3u;
    cf_mmio_write(select, (cf_mmio_read(select) & ~(7u << shift)) | ((uint32_t)function << shift));
}

static void set_functions(uintptr_t gpio) {
    /* Were the PL011 still at the Bluetooth chip, both would drive its input. */
    set_function(gpio, BLUETOOTH_PIN, INPUT);
    set_function(gpio, BLUETOOTH_PIN + 1, INPUT);
    set_function(gpio, SEND_PIN, ALT0);
    set_function(gpio, RECEIVE_PIN, ALT0);
}

/* The pull resistors are clocked in: value, 150 core cycles, clock, 150 core cycles. The loop is longer than that. */
static void pull(uintptr_t gpio, uint32_t pins, uint32_t direction) {
    const uintptr_t enable = gpio + 0x94u;
    const uintptr_t clock = gpio + 0x98u;
    cf_mmio_write(enable, direction);
    for (volatile uint32_t i = 0; i < 500u; i++) {
    }
    cf_mmio_write(clock, pins);
    for (volatile uint32_t i = 0; i < 500u; i++) {
    }
    cf_mmio_write(enable, 0);
    cf_mmio_write(clock, 0);
}

/* An unconnected input is pulled up: it reads as an idle line. */
void cf_bcm_gpio_uart(uintptr_t gpio) {
    set_functions(gpio);
    pull(gpio, 1u << SEND_PIN, 0);
    pull(gpio, 1u << RECEIVE_PIN, 2);
}

void cf_bcm_gpio_uart_2711(uintptr_t gpio) {
    const uintptr_t control = gpio + 0xe4u; /* two bits a pin: 0 none, 1 up */
    set_functions(gpio);
    const uint32_t others = cf_mmio_read(control) & ~(3u << 2u * SEND_PIN | 3u << 2u * RECEIVE_PIN);
    cf_mmio_write(control, others | 1u << 2u * RECEIVE_PIN);
}
