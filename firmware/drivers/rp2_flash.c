/*
 * Serial flash memory of the RP2 family, by routines of the boot ROM: RP2040 datasheet, 2.8.3.1.3; RP2350 datasheet, 5.4.8. While they
 * use the memory it cannot be read at its addresses, nor executed: the runner lies in RAM, its interrupt handlers, too. They wait for
 * the memory themselves, without an end; it is the one that the runner has come from.
 */
#include "drivers/flash.h"

#include "core/mem.h"
#include "drivers/rp2_rom.h"

#if CF_SMALL

#define XIP 0x10000000u
#define PAGE 256u
#define SECTOR 4096u
#define BLOCK 65536u
#define BLOCK_ERASE 0xd8u

CF_STORE_CODE static uintptr_t routine(uint32_t code) {
    return cf_rp2_routine(code);
}

CF_STORE_CODE static void call(uint32_t code) {
    ((void (*)(void))routine(code))();
}

CF_STORE_CODE static void begin(void) {
    call(CF_RP2_ROM('I', 'F')); /* connect_internal_flash */
    call(CF_RP2_ROM('E', 'X')); /* flash_exit_xip */
}

CF_STORE_CODE static void end(void) {
    call(CF_RP2_ROM('F', 'C')); /* flash_flush_cache */
    call(CF_RP2_ROM('C', 'X')); /* flash_enter_cmd_xip: reading by the command 03h, as boot.S has it */
}

CF_STORE_CODE static void erase(uint32_t address) {
    begin();
    ((void (*)(uint32_t, uint32_t, uint32_t, uint8_t))routine(CF_RP2_ROM('R', 'E')))(address - XIP, SECTOR, BLOCK, BLOCK_ERASE);
    end();
}

/* In pages, of which the last one is filled up. */
CF_STORE_CODE static void write(uint32_t address, const uint8_t *bytes, uint32_t n) {
    uint8_t page[PAGE];

    begin();
    for (uint32_t i = 0; i < n; i += PAGE) {
        const uint32_t left = n - i;
        memset(page, 0xff, sizeof page);
        memcpy(page, bytes + i, left < PAGE ? left : PAGE);
        ((void (*)(uint32_t, const uint8_t *, uint32_t))routine(CF_RP2_ROM('R', 'P')))(address + i - XIP, page, PAGE);
    }
    end();
}

const struct cf_flash_driver cf_rp2_flash = {erase, write};

#endif
