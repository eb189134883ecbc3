/*
 * The start of flash memory of an RP2350: vectors for the boot ROM, which starts what they name because of the image
 * definition behind them (RP2350 datasheet, 5.9.5), and code that copies the runner from here to RAM. Nothing is read from
 * flash memory later, so that its cache adds no jitter, and the clock can be raised whatever the ROM has set up for it.
 */
#include "drivers/rp2_boot.h"

    .syntax unified
    .cpu    cortex-m33
    .thumb

#define BLOCK_START 0xffffded3
#define IMAGE_TYPE 0x10210142 /* item 0x42, one word: executable, Arm, secure, RP2350 */
#define LAST_ITEM 0x000001ff  /* one word of items came before it */
#define BLOCK_END 0xab123579

#define REGION_COUNT 8

    .section .prefix, "ax"
start:                                  /* stored at LOAD_BASE, and runs there */
    .word   cf_runner_stack_top
    .word   LOAD_BASE + (boot - start) + 1
    .rept   14
    .word   LOAD_BASE + (hang - start) + 1
    .endr

    .word   BLOCK_START, IMAGE_TYPE, LAST_ITEM
    .word   0                           /* to the next block: there is only this one */
    .word   BLOCK_END

hang:
    b       hang

/* The limit of the stack and the regions of memory protection may be those of the boot ROM yet. */
boot:
    movs    r0, #0
    msr     msplim, r0
    ldr     r1, =MPU_CTRL
    str     r0, [r1]
    ldr     r1, =MPU_RNR
    ldr     r2, =MPU_RLAR
    movs    r3, #REGION_COUNT
1:  subs    r3, #1
    str     r3, [r1]
    str     r0, [r2]
    bne     1b
    cf_rp2_start_runner
    .pool
