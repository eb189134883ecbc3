/* Non-volatile memory controller of nRF51 and nRF52: nRF51 Series Reference Manual 3.0, chapter 6, and the product specifications, chapter
 * NVMC. The processor halts while a page is erased, for 22.3 ms at most, 85 on an nRF52, and while a word is written. */
#include "drivers/flash.h"

#define NVMC_READY 0x4001e400u
#define NVMC_CONFIG 0x4001e504u
#define NVMC_ERASEPAGE 0x4001e508u
#define READ_ONLY 0u
#define WRITE_ENABLE 1u
#define ERASE_ENABLE 2u

#define LOOKS 3000000u /* of 4 cycles or more at 64 MHz: 190 ms */

CF_STORE_CODE static void set(uintptr_t address, uint32_t value) {
    cf_mmio_write(address, value);
    cf_flash_wait(NVMC_READY, 1, 1, LOOKS);
}

CF_STORE_CODE static void erase(uint32_t address) {
    set(NVMC_CONFIG, ERASE_ENABLE);
    set(NVMC_ERASEPAGE, address);
    set(NVMC_CONFIG, READ_ONLY);
}

CF_STORE_CODE static void write(uint32_t address, const uint8_t *bytes, uint32_t n) {
    set(NVMC_CONFIG, WRITE_ENABLE);
    for (uint32_t i = 0; i < n; i += 4) {
        set(address + i, cf_flash_word(bytes + i));
    }
    set(NVMC_CONFIG, READ_ONLY);
}

const struct cf_flash_driver cf_nrf51_flash = {erase, write};
