/*
 * Lists for the pins become code of this core, which takes some six instructions for an entry where reading it anew takes fifty.
 *
 * Entries have been checked, and stay as they are: the code takes its constants from them. Registers in it:
 *
 *   r0   data block
 *   r1   address of the entry's register, or of one a little below
 *   r2   value to be written or waited for, or offset of the slot
 *   r3   mask, all ones at the start
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
    .equ    MASK, 8                     /* its mask is not in r3 yet */
    .equ    V, 0x10                     /* a value is to be written or waited for */
    .equ    WAIT, 0x20
    .equ    FULL, 0x40                  /* its mask is all ones */
    .equ    BASE, 0x80                  /* its register is not reached from the address in r1 */
    .equ    SHIFT, 0x100
    .equ    FAR, 0x200                  /* no instruction reaches the slot from the start of the data block */

/* An instruction, for entries that have these bits and not those. Filled in are: of r7, and of what is loaded from there, the entry's place;
 * of accesses to r1 the width, and how far the register is; to r0 the slot; shifts. */
    .macro  row instruction, has, not=0
    .short  \instruction, (\has) | (\not), \has
    .endm
    .equ    ROW, 6                      /* bytes */

    .section .rodata.cf_m_rows, "a"
    .balign 4
rows:
    row     0x3780, 0                   /*    adds  r7, #8 * 16, before every eighth entry */
first:
    row     0x68fa, V, S                /*    ldr   r2, [r7, #value] */
    row     0x68fa, V | S | FAR         /*    ldr   r2, [r7, #value] */
    row     0x5882, V | S | FAR         /*    ldr   r2, [r0, r2] */
    row     0x6802, V | S, FAR          /*    ldr   r2, [r0, #slot] */
    row     0x0012, V | S | SHIFT       /*    lsls  r2, r2, #shift */
    row     0x6879, BASE                /*    ldr   r1, [r7, #address] */
    row     0x68bb, MASK                /*    ldr   r3, [r7, #mask] */
    row     0x3700, WAIT                /*    adds  r7, #entry */
    row     0x887d, WAIT                /*    ldrh  r5, [r7, #2], its reads */
    row     0x680c, R                   /* 1: ldr   r4, [r1, #far] */
    row     0x46a4, WAIT                /*    mov   r12, r4 */
    row     0x401c, WAIT                /*    ands  r4, r3 */
    row     0x4294, WAIT                /*    cmp   r4, r2 */
    row     0x4664, WAIT                /*    mov   r4, r12 */
    row     0xd002, WAIT                /*    beq   2f */
    row     0x3d01, WAIT                /*    subs  r5, #1 */
    row     0xd1f7, WAIT                /*    bne   1b */
    row     0x4770, WAIT                /*    bx    lr */
    row     0x3f00, WAIT                /* 2: subs  r7, #entry */
    row     0x4062, R | W, FULL         /*    eors  r2, r4 */
    row     0x401a, W, FULL             /*    ands  r2, r3 */
    row     0x4062, R | W, FULL         /*    eors  r2, r4 */
    row     0x600a, W                   /*    str   r2, [r1, #far] */
    row     0x2400, S, R | W            /*    movs  r4, #0 */
    row     0x401c, S, W | FULL         /*    ands  r4, r3 */
    row     0x0824, S | SHIFT, W        /*    lsrs  r4, r4, #shift */
    row     0x6004, S, W | FAR          /*    str   r4, [r0, #slot] */
    row     0x68fa, S | FAR, W          /*    ldr   r2, [r7, #value] */
    row     0x5084, S | FAR, W          /*    str   r4, [r0, r2] */
    row     0xffff, 0                   /* the last one */

/* uint16_t *cf_m_translate(uint16_t *at, const uint16_t *end, const struct cf_pin_entry *e, uint32_t n): code of n entries, and the end of it.
 * Returns what is behind, or NULL if `end` might come first. There is at least one. */
    .section .pins, "ax"
    .global cf_m_translate
    .thumb_func
cf_m_translate:
    push    {r1, r3-r7, lr}
    ldr     r7, [r2, #4]
    subs    r7, #33                     /* what reaches no register of any width */
    movs    r6, #0
    mvns    r5, r6
    push    {r5-r7}
    movs    r3, #0                      /* place of the entry, as r7 of the code sees it */
    .equ    in_r3, 0                    /* on the stack */
    .equ    far, 4
    .equ    in_r1, 8
    .equ    end, 12
    .equ    left, 16
1:  ldr     r7, [sp, #left]
    subs    r7, #1
    str     r7, [sp, #left]
    bmi     7f
    ldr     r7, [sp, #end]
    subs    r7, r7, r0
    cmp     r7, #CF_M_MOST
    blt     8f
    ldr     r5, =first - ROW
    cmp     r3, #8
    bne     2f
    subs    r5, #ROW
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
    ldr     r6, [r2, #4]
    ldr     r7, [sp, #in_r1]
    subs    r6, r6, r7
    lsls    r7, r1, #26
    lsrs    r7, r7, #30                 /* width */
    rors    r6, r7
    cmp     r6, #32
    bcc     3f
    ldr     r7, [r2, #4]
    str     r7, [sp, #in_r1]
    movs    r6, #0
3:  str     r6, [sp, #far]
    adcs    r4, r4                      /* BASE */
    ldr     r7, [r2, #8]
    adds    r6, r7, #1
    adcs    r4, r4                      /* FULL */
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
    ldr     r6, [sp, #in_r3]
    str     r7, [sp, #in_r3]
    eors    r6, r7
    cmp     r6, #1
    adcs    r4, r4                      /* MASK */
    lsls    r4, r4, #3
    lsls    r6, r1, #29
    lsrs    r6, r6, #29
    orrs    r4, r6

3:  adds    r5, #ROW
    ldrh    r6, [r5, #2]
    ldrh    r7, [r5, #4]
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
    ldr     r7, [sp, #far]
    lsls    r7, r7, #6
    adds    r6, r6, r7
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
9:  add     sp, #12
    pop     {r1, r3-r7, pc}
    .pool

/* uint64_t cf_m_pins(uint8_t *data, const struct cf_pin_entry *e, uintptr_t code): carries out what has been translated. Returns NULL, or
 * the entry that has waited in vain, and in the upper word what its register read as. */
    .global cf_m_pins
    .thumb_func
cf_m_pins:
    push    {r3-r7, lr}
    mov     r7, r1
    movs    r3, #0
    mvns    r3, r3
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
