/*
 * Flash memory interface of the STM32F4: reference manual RM0090, chapter 3 (3.6 and 3.9; F446: RM0390, 3.5 and 3.8). Words of 32 bits
 * need 2.7 V to 3.6 V. The large sectors have 128 KiB and are numbered from 5 on. Whoever reads the memory while it is erased or
 * written waits, so mostly the processor stands still.
 */
#include "drivers/flash.h"

#define FLASH_ACR 0x40023c00u
#define FLASH_KEYR 0x40023c04u
#define FLASH_SR 0x40023c0cu
#define FLASH_CR 0x40023c10u
#define ACR_DCEN (1u << 10)
#define ACR_DCRST (1u << 12)
#define SR_BSY (1u << 16)
#define SR_DONE 0xf3u /* end of operation, and errors: 1 takes them back */
#define CR_PG (1u << 0)
#define CR_SER (1u << 1)
#define CR_SECTOR(number) ((number) << 3)
#define CR_WORDS (2u << 8)
#define CR_STRT (1u << 16)
#define CR_LOCK (1u << 31)

#define SECTOR_SHIFT 17
#define SECTOR_5 (0x08020000u >> SECTOR_SHIFT)

/* Of 4 cycles or more at 168 MHz: 4.7 s. A sector takes 2 s (datasheets of both chips, flash memory characteristics). */
#define LOOKS 200000000u

CF_STORE_CODE static void wait(void) {
    cf_flash_wait(FLASH_SR, SR_BSY, 0, LOOKS);
}

CF_STORE_CODE static void begin(uint32_t control) {
    wait();
    if ((cf_mmio_read(FLASH_CR) & CR_LOCK) != 0) { /* keys that are not asked for lock it until a reset */
        cf_mmio_write(FLASH_KEYR, 0x45670123u);
        cf_mmio_write(FLASH_KEYR, 0xcdef89abu);
    }
    cf_mmio_write(FLASH_SR, SR_DONE);
    cf_mmio_write(FLASH_CR, control);
}

/* The cache for data may have what was there before. It can be emptied while it is off. */
CF_STORE_CODE static void end(void) {
    const uint32_t acr = cf_mmio_read(FLASH_ACR);

    wait();
    cf_mmio_write(FLASH_CR, CR_LOCK);
    cf_mmio_write(FLASH_ACR, acr & ~ACR_DCEN);
    cf_mmio_write(FLASH_ACR, (acr & ~ACR_DCEN) | ACR_DCRST);
    cf_mmio_write(FLASH_ACR, acr & ~ACR_DCEN);
    cf_mmio_write(FLASH_ACR, acr);
}

CF_STORE_CODE static void erase(uint32_t address) {
    const uint32_t control = CR_SER | CR_WORDS | CR_SECTOR((address >> SECTOR_SHIFT) - SECTOR_5 + 5u);

    begin(control);
    cf_mmio_write(FLASH_CR, control | CR_STRT);
    end();
}

CF_STORE_CODE static void write(uint32_t address, const uint8_t *bytes, uint32_t n) {
    begin(CR_PG | CR_WORDS);
    for (uint32_t i = 0; i < n; i += 4) {
        cf_mmio_write(address + i, cf_flash_word(bytes + i));
        wait();
    }
    end();
}

const struct cf_flash_driver cf_stm32f4_flash = {erase, write};
