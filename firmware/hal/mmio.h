/* Access to 32-bit device registers. */
#ifndef CF_MMIO_H
#define CF_MMIO_H

#include <stdint.h>

static inline uint32_t cf_mmio_read(uintptr_t address) {
    return *(const volatile uint32_t *)address;
}

static inline void cf_mmio_write(uintptr_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}

#endif
