/* What lists for the pins reach. */
#include "hal/hal.h"

uint32_t cf_hal_register_read(uint32_t address, uint32_t width) {
    const uintptr_t at = address;

    if (width == 0) {
        return *(const volatile uint8_t *)at;
    }
    if (width == 1) {
        return *(const volatile uint16_t *)at;
    }
    return *(const volatile uint32_t *)at;
}

void cf_hal_register_write(uint32_t address, uint32_t width, uint32_t value) {
    const uintptr_t at = address;

    if (width == 0) {
        *(volatile uint8_t *)at = (uint8_t)value;
    } else if (width == 1) {
        *(volatile uint16_t *)at = (uint16_t)value;
    } else {
        *(volatile uint32_t *)at = value;
    }
}
