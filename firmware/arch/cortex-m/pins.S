/*
 * Lists for the pins become code of this core, which takes some six instructions for an entry where reading it anew takes fifty.
 *
 * Entries have been checked, and stay as they are: the code takes its constants from them. Registers in it:
 *
 *   r0   data block
 *   r1   address of the entry's register
 *   r2   value to be written or waited for
 *   r3   mask, or offset of the slot
 *   r4   what the register read as
 *   r5   reads that a wait has left
 *   r6   where to go in the end
 *   r7   an entry, from which others are reached
 *   r12  of a wait
 *   lr   where to go if one is in vain: with its entry in r7, and what has been read in r4
 */
#include "arch/cortex-m/pins.h"

    .syntax unified
    .thumb

/* What an entry is: bits 0 to 2 of its control, and these. */
    .equ    R, 1                        /* reads */
    .equ    W, 2                        /* writes */
    .equ    S, 4                        /* slot */
    .equ    V, 8                        /* a value is to be written or waited for */
    .equ    WAIT, 16
    .equ    MASK, 32                    /* leaves bits of the register out */
    .equ    SHIFT, 64
    .equ    FAR, 128                    /* no instruction reaches the slot from the start of the data block */

/* An instruction, for entries that have these bits and not those. Filled in are: of r7, and of what is loaded from there, the entry's place;
 * of accesses to r1 the width; to r0 the slot; shifts. */
    .macro  row instruction, has, not=0
    .short  \instruction
    .byte   (\has) | (\not), \has
    .endm

    .section .rodata.cf_m_rows, "a"
    .balign 4
rows:
    row     0x3780, 0                   /*    adds  r7, #8 * 16, before every eighth entry */
first:
    row     0x68fb, V | S | FAR         /*    ldr   r3, [r7, #value] */
    row     0x58c2, V | S | FAR         /*    ldr   r2, [r0, r3] */
    row     0x6802, V | S, FAR          /*    ldr   r2, [r0, #slot] */
    row     0x68fa, V, S                /*    ldr   r2, [r7, #value] */
    row     0x0012, V | S | SHIFT       /*    lsls  r2, r2, #shift */
    row     0x6879, 0                   /*    ldr   r1, [r7, #address] */
    row     0x68bb, WAIT                /*    ldr   r3, [r7, #mask] */
    row     0x3700, WAIT                /*    adds  r7, #entry */
    row     0x887d, WAIT                /*    ldrh  r5, [r7, #2], its reads */
    row     0x680c, R                   /* 1: ldr   r4, [r1] */
    row     0x46a4, WAIT                /*    mov   r12, r4 */
    row     0x401c, WAIT                /*    ands  r4, r3 */
    row     0x4294, WAIT                /*    cmp   r4, r2 */
    row     0x4664, WAIT                /*    mov   r4, r12 */
    row     0xd002, WAIT                /*    beq   2f */
    row     0x3d01, WAIT                /*    subs  r5, #1 */
    row     0xd1f7, WAIT                /*    bne   1b */
    row     0x4770, WAIT                /*    bx    lr */
    row     0x3f00, WAIT                /* 2: subs  r7, #entry */
    row     0x4062, R | W | MASK        /*    eors  r2, r4 */
    row     0x68bb, W | MASK            /*    ldr   r3, [r7, #mask] */
    row     0x401a, W | MASK            /*    ands  r2, r3 */
    row     0x4062, R | W | MASK        /*    eors  r2, r4 */
    row     0x600a, W                   /*    str   r2, [r1] */
    row     0x2400, S, R | W            /*    movs  r4, #0 */
    row     0x68bb, S | MASK, W         /*    ldr   r3, [r7, #mask] */
    row     0x401c, S | MASK, W         /*    ands  r4, r3 */
    row     0x0824, S | SHIFT, W        /*    lsrs  r4, r4, #shift */
    row     0x6004, S, W | FAR          /*    str   r4, [r0, #slot] */
    row     0x68fb, S | FAR, W          /*    ldr   r3, [r7, #value] */
    row     0x50c4, S | FAR, W          /*    str   r4, [r0, r3] */
    row     0xffff, 0                   /* the last one */

/* uint16_t *cf_m_translate(uint16_t *at, const uint16_t *end, const struct cf_pin_entry *e, uint32_t n): code of n entries, and the end of it.
 * Returns what is behind, or NULL if `end` might come first. */
    .section .pins, "ax"
    .global cf_m_translate
    .thumb_func
cf_m_translate:
    push    {r1, r3-r7, lr}
    movs    r3, #0                      /* place of the entry, as r7 of the code sees it */
1:  ldr     r7, [sp, #4]
    subs    r7, #1
    str     r7, [sp, #4]
    bmi     7f
    ldr     r7, [sp]
    subs    r7, r7, r0
    cmp     r7, #CF_M_MOST
    blt     8f
    ldr     r5, =first - 4
    cmp     r3, #8
    bne     2f
    subs    r5, #4
    movs    r3, #0

2:  ldr     r1, [r2]                    /* control */
    movs    r4, #0                      /* bits come in from the right */
    ldr     r6, [r2, #12]
    cmp     r6, #128
    adcs    r4, r4                      /* FAR */
    lsls    r7, r1, #19
    lsrs    r7, r7, #27                 /* shift */
    cmp     r7, #1
    adcs    r4, r4                      /* SHIFT */
    lsls    r6, r1, #26
    lsrs    r6, r6, #30                 /* width */
    movs    r7, #8
    lsls    r7, r6
    movs    r6, #32
    subs    r6, r6, r7                  /* bits beside those of the register */
    ldr     r7, [r2, #8]
    mvns    r7, r7
    lsls    r7, r6
    cmp     r7, #1
    adcs    r4, r4                      /* MASK */
    lsls    r6, r1, #31
    asrs    r6, r6, #31
    ands    r6, r1
    lsrs    r6, r6, #16
    cmp     r6, #1
    adcs    r4, r4                      /* WAIT: R, and reads */
    lsrs    r6, r1, #1
    orrs    r6, r4
    lsrs    r6, r6, #1
    adcs    r4, r4                      /* V: W or WAIT */
    lsls    r4, r4, #3
    lsls    r6, r1, #29
    lsrs    r6, r6, #29
    orrs    r4, r6

3:  adds    r5, #4
    ldrb    r6, [r5, #2]
    ldrb    r7, [r5, #3]
    ands    r6, r4
    cmp     r6, r7
    bne     3b
    ldrh    r6, [r5]
    lsrs    r7, r6, #12
    beq     shift
    subs    r7, #3
    beq     r7_itself
    subs    r7, #6 - 3
    beq     access
    cmp     r7, #15 - 6
    bne     5f
    adds    r2, #16
    adds    r3, #1
    b       1b

shift:
    lsls    r7, r1, #19
    lsrs    r7, r7, #27
    lsls    r7, r7, #6
    b       4f
r7_itself:
    lsls    r7, r6, #24
    bne     5f                          /* it is another one, or has its number */
    lsls    r7, r3, #4
    b       4f
access:
    lsls    r7, r6, #26
    lsrs    r7, r7, #29
    beq     slot
    cmp     r7, #7
    beq     entry
    movs    r7, #0x30                   /* width */
    ands    r7, r1
    cmp     r7, #0x20
    beq     5f
    adds    r7, #0x10
    lsls    r7, r7, #8
    b       4f
slot:
    ldr     r7, [r2, #12]
    lsls    r7, r7, #4
    b       4f
entry:
    lsls    r7, r3, #8
4:  adds    r6, r6, r7
5:  strh    r6, [r0]
    adds    r0, #2
    b       3b

7:  ldr     r6, =0x4730                 /* bx r6 */
    strh    r6, [r0]
    adds    r0, #2
    b       9f
8:  movs    r0, #0
9:  pop     {r1, r3-r7, pc}
    .pool

/* uint64_t cf_m_pins(uint8_t *data, const struct cf_pin_entry *e, uintptr_t code): carries out what has been translated. Returns NULL, or
 * the entry that has waited in vain, and in the upper word what its register read as. */
    .global cf_m_pins
    .thumb_func
cf_m_pins:
    push    {r3-r7, lr}
    mov     r7, r1
    ldr     r6, =done
    blx     r2
    b       2f
    .thumb_func
done:
    movs    r7, #0
2:  mov     r0, r7
    mov     r1, r4
    pop     {r3-r7, pc}
    .pool
