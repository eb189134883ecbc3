/* Access to device registers of 32 and of 8 bits, and to pairs of them. */
#ifndef CF_MMIO_H
#define CF_MMIO_H

#include <stdint.h>

static inline uint32_t cf_mmio_read(uintptr_t address) {
    return *(const volatile uint32_t *)address;
}

static inline void cf_mmio_write(uintptr_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}

/* A counter of 64 bits that goes on while its halves are read. */
static inline uint64_t cf_mmio_read_counter(uintptr_t low_word, uintptr_t high_word) {
    for (;;) {
        const uint32_t high = cf_mmio_read(high_word);
        const uint32_t low = cf_mmio_read(low_word);
        if (cf_mmio_read(high_word) == high) {
            return (uint64_t)high << 32 | low;
        }
    }
}

static inline uint8_t cf_mmio_read8(uintptr_t address) {
    return *(const volatile uint8_t *)address;
}

static inline void cf_mmio_write8(uintptr_t address, uint8_t value) {
    *(volatile uint8_t *)address = value;
}

#endif
