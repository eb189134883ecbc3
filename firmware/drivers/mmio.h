/* Access to device registers of 32 and of 8 bits. */
#ifndef CF_MMIO_H
#define CF_MMIO_H

#include <stdint.h>

static inline uint32_t cf_mmio_read(uintptr_t address) {
    return *(const volatile uint32_t *)address;
}

static inline void cf_mmio_write(uintptr_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}

static inline uint8_t cf_mmio_read8(uintptr_t address) {
    return *(const volatile uint8_t *)address;
}

static inline void cf_mmio_write8(uintptr_t address, uint8_t value) {
    *(volatile uint8_t *)address = value;
}

#endif
