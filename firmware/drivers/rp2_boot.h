/* The end of a boot block of the RP2 family: copies the runner from flash memory to RAM and starts it there. Only
 * instructions that ARMv6-M has. All of the text's room is copied, so that the block does not depend on the runner. */
#ifndef CF_RP2_BOOT_H
#define CF_RP2_BOOT_H

#include "arch/cortex-m/registers.h"

    .macro cf_rp2_start_runner
    ldr     r0, =cf_load_vectors
    ldr     r1, =cf_m_vectors
    ldr     r2, =cf_flash_end
1:  ldm     r0!, {r3}
    stm     r1!, {r3}
    cmp     r1, r2
    blo     1b
    ldr     r0, =cf_m_vectors
    ldr     r1, =VTOR
    str     r0, [r1]
    dsb
    isb
    ldr     r1, [r0]
    msr     msp, r1
    ldr     r0, [r0, #4]
    bx      r0
    .endm

#endif
