/*
 * Parallel NOR flash of two chips with 16 bits side by side, as 32: Intel's command set 0001 (JEDEC JEP137; data sheet of the 28F640J3,
 * chapters on erasing and programming). Commands and the status are in both halves.
 */
#include "drivers/flash.h"

#define BOTH(byte) ((byte) | (uint32_t)(byte) << 16)
#define CLEAR_STATUS BOTH(0x50u)
#define ERASE BOTH(0x20u)
#define CONFIRM BOTH(0xd0u)
#define WRITE BOTH(0x40u)
#define READ_ARRAY BOTH(0xffu)
#define READY BOTH(0x80u)

#define LOOKS 20000000u /* of 50 ns or more each: 1 s */

/* One operation of two cycles, and back to reading. */
CF_STORE_CODE static void carry_out(uint32_t address, uint32_t command, uint32_t second) {
    cf_mmio_write(address, CLEAR_STATUS);
    cf_mmio_write(address, command);
    cf_mmio_write(address, second);
    cf_flash_wait(address, READY, READY, LOOKS);
    cf_mmio_write(address, READ_ARRAY);
}

CF_STORE_CODE static void erase(uint32_t address) {
    carry_out(address, ERASE, CONFIRM);
}

CF_STORE_CODE static void write(uint32_t address, const uint8_t *bytes, uint32_t n) {
    for (uint32_t i = 0; i < n; i += 4) {
        carry_out(address + i, WRITE, cf_flash_word(bytes + i));
    }
}

const struct cf_flash_driver cf_cfi_flash = {erase, write};
