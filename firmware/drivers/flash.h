/*
 * Flash memory of stored programs: one constant per driver, named by the chip that has such memory, and what the core knows of it
 * (struct cf_store_memory of hal.h), of which each chip has one. Addresses are those where it is read. Every wait has an end; whether
 * something has come about is seen by reading it.
 */
#ifndef CF_FLASH_H
#define CF_FLASH_H

#include <stdint.h>

#include "core/store.h"
#include "drivers/mmio.h"
#include "hal/hal.h"

struct cf_flash_driver {
    /* Erases the page there. */
    void (*erase)(uint32_t address);

    /* Writes n bytes: of whole units, or those of a slot's header. */
    void (*write)(uint32_t address, const uint8_t *bytes, uint32_t n);
};

extern const struct cf_flash_driver cf_nrf51_flash;
extern const struct cf_flash_driver cf_stm32f4_flash;
extern const struct cf_flash_driver cf_rp2_flash;
extern const struct cf_flash_driver cf_cfi_flash; /* two chips of 16 bits side by side, command set of Intel */

/* The second bank of QEMU's virt machines, whose file it has by -drive if=pflash,unit=1: the first 32 MiB, as two slots. */
#define CF_QEMU_FLASH(bank) \
    {.length = 0x1000000, .page = 0x40000, .unit = 4, .erase_ms = 1000, .slots = (const uint8_t *)(uintptr_t)(bank), .first = 32}

/* Waits until these bits of a register are as wanted, for so many looks at most. */
static inline void cf_flash_wait(uintptr_t address, uint32_t bits, uint32_t wanted, uint32_t looks) {
    while ((cf_mmio_read(address) & bits) != wanted && --looks != 0) {
    }
}

/* The next word to write. */
static inline uint32_t cf_flash_word(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

#endif
