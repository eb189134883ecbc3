/* What lists for the pins reach. */
#include "core/small.h"
#include "hal/hal.h"

#if CF_DRIVER
#include "platform/driver.h"

int cf_hal_driver_has(uint32_t address) {
    return address - CF_DRIVER_BASE < cf_driver.bytes;
}
#endif

/* On the bus of a BCM2835 answers of two devices may overtake each other; those of microcontrollers keep their order. */
static void in_order(void) {
#if !CF_SMALL
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

uint32_t cf_hal_register_read(uint32_t address, uint32_t width) {
#if CF_DRIVER
    if (cf_hal_driver_has(address)) {
        return cf_driver.read(address - CF_DRIVER_BASE, 1u << width);
    }
#endif
    const uintptr_t at = address;
    uint32_t value;

    if (width == 0) {
        value = *(const volatile uint8_t *)at;
    } else if (width == 1) {
        value = *(const volatile uint16_t *)at;
    } else {
        value = *(const volatile uint32_t *)at;
    }
    in_order();
    return value;
}

void cf_hal_register_write(uint32_t address, uint32_t width, uint32_t value) {
#if CF_DRIVER
    if (cf_hal_driver_has(address)) {
        cf_driver.write(address - CF_DRIVER_BASE, 1u << width, value);
        return;
    }
#endif
    const uintptr_t at = address;

    in_order();
    if (width == 0) {
        *(volatile uint8_t *)at = (uint8_t)value;
    } else if (width == 1) {
        *(volatile uint16_t *)at = (uint16_t)value;
    } else {
        *(volatile uint32_t *)at = value;
    }
}
