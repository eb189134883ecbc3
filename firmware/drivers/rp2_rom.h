/* Routines of the boot ROM of the RP2 family, which are found by two letters: RP2040 datasheet, 2.8.3; RP2350 datasheet, 5.4. */
#ifndef CF_RP2_ROM_H
#define CF_RP2_ROM_H

#include <stdint.h>

#define CF_RP2_ROM(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

/* Address of a routine, as the ROM's own search finds it. Its halfwords there are pointers. */
static inline __attribute__((always_inline)) uintptr_t cf_rp2_routine(uint32_t code) {
    uintptr_t table = 0x14;
    __asm__("" : "+r"(table)); /* else GCC warns of addresses this low */
    const volatile uint16_t *const pointers = (const volatile uint16_t *)table;

#if __ARM_ARCH >= 8 /* RP2350, 5.4.1: for Arm code that is secure */
    return ((uintptr_t(*)(uint32_t, uint32_t))(uintptr_t)pointers[1])(code, 4);
#else /* RP2040, 2.8.3 */
    return ((uintptr_t(*)(uint32_t, uint32_t))(uintptr_t)pointers[2])(pointers[0], code);
#endif
}

#endif
