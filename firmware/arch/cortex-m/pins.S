/*
 * Lists for the pins (core/pins.h): checked, and made code of this core, which takes some six instructions for an entry where reading it anew
 * takes fifty. One walk does both: the first time it only checks, so that nothing is written of lists that are refused.
 *
 * The code takes its constants from the entries, which stay as they are. Registers in it:
 *
 *   r0   data block
 *   r1   address of the entry's register, or of one a little below; at the start that of the first entry
 *   r2   value to be written or waited for, or address of a slot
 *   r3   mask; at the start that of the first entry
 *   r4   what the register read as
 *   r5   reads that a wait has left
 *   r6   where to go in the end
 *   r7   what entries are reached from: at the start, so much below the first one as an entry takes
 *   r11  cf_m_wait
 */
#include "arch/cortex-m/pins.h"
#include "core/codes_gen.h"

#if !CF_DRIVER
    .syntax unified
    .thumb

/* What an entry is. READ to SLOT are the bits of its control. */
    .equ    PART, 1                     /* its mask is not all ones */
    .equ    MASK, 2                     /* its mask is not in r3 yet */
    .equ    BASE, 4                     /* its register is not reached from the address in r1 */
    .equ    FROM, 8                     /* it is not reached from r7, or waits */
    .equ    WAIT, 0x10                  /* with READ: it waits */
    .equ    SHIFT, 0x20
    .equ    FAR, 0x40                   /* no slot that an instruction reaches from the start of the data block */
    .equ    READ, 0x80
    .equ    WRITE, 0x100
    .equ    SLOT, 0x200
    .equ    LAST, 0x400                 /* it is none: the list ends */
    .equ    FIELDS, 11                  /* bits above: what is filled in, by its place on the stack in words */
    .equ    FLAGS, 7                    /* of them in front of READ */

    .equ    none, 0
    .equ    entry, 4                    /* how far the entry is from r7 */
    .equ    slot, 8                     /* how far the slot is from r0, or that its address is in r2 */
    .equ    access, 12                  /* how far the register is from r1, and its width */
    .equ    shift, 16
    .equ    bytes, 20                   /* how far the entry is from r7, in bytes */

/* An instruction, for entries that have all of these; 0: nothing more for them. */
    .macro  row instruction, has, field=none
    .short  \instruction, (\has) | (\field) << (FIELDS - 2)
    .endm
    .equ    ROW, 4                      /* bytes */

/* Also on the stack: */
    .equ    in_r1, 24
    .equ    in_r3, 28
    .equ    left, 32                    /* entries of the list */
    .equ    slow, 36                    /* not 0: what must not be carried out in a handler */
    .equ    list, 40                    /* 4 for each that has begun */
    .equ    frame, 44
    .equ    lists, 44
    .equ    program, 48
    .equ    words, 52                   /* of the data block */
    .equ    pushed, 12

/* Of the code, which goes to AT bytes behind r2; 0 there: this is the first walk. r0 is the entry, or rather what r7 is at the start; r12 is the
 * last place of it so that an entry may follow that one: the next list reads that, if it has none. */
    .equ    AT, CF_M_CODE_AT

    .section .pins, "ax"
    .balign 4
end_of_list:
    movs    r4, #(LAST | 7 << FIELDS) >> FLAGS
    lsls    r4, r4, #FLAGS
emit:
    cmp     r2, #0
    beq     2f
    adr     r5, rows - ROW
1:  adds    r5, #ROW
    ldrh    r6, [r5, #2]
    lsrs    r7, r6, #FIELDS
    lsls    r7, r7, #2
    bics    r6, r4
    bne     1b
    ldrh    r6, [r5]
    cmp     r6, #0
    beq     2f
    add     r7, sp
    ldr     r7, [r7]
    adds    r6, r6, r7
    cmp     r2, r12
    bhi     refused
    strh    r6, [r2, #AT]
    adds    r2, #2
    b       1b
2:  lsls    r6, r4, #21                 /* LAST */
    bmi     next_list
    adds    r0, #CF_M_ENTRY
    adds    r3, #CF_M_ENTRY
    b       next_entry

end_of_walk:
    cmp     r2, #0
    bne     done
    movs    r2, r0
    subs    r2, #AT - CF_M_ENTRY
    ldr     r0, [sp, #lists]
    b       walk

refused:
    ldr     r4, [sp, #lists]
    subs    r0, r0, r4
    lsrs    r0, r0, #4
    adds    r0, #1
    b       3f
done:
    movs    r0, #0
3:  add     sp, #frame + pushed
    pop     {r4-r7, pc}

/* cf_set_pins(c, m, p, place) */
    .global cf_set_pins
    .thumb_func
cf_set_pins:
    push    {r4-r7, lr}
    ldr     r4, [r1, #CF_M_DATA_LENGTH]
    lsrs    r4, r4, #2
    ldr     r5, [r1, #CF_M_CODE]
    adds    r0, r5, r3
    ldr     r6, [r1, #CF_M_CODE_LENGTH]
    adds    r5, r5, r6
    subs    r5, #3 * CF_M_ENTRY
    mov     r12, r5
    push    {r0, r2, r4}
    sub     sp, #frame
    movs    r7, #0
    str     r7, [sp, #none]
    str     r7, [r2, #CF_M_LISTS]       /* none */
    cmp     r3, #0
    beq     done
    lsls    r7, r3, #30
    bne     refused
    subs    r6, #2 * CF_M_ENTRY         /* the counts take one, and where an entry would be is read anyway */
    blo     refused
    cmp     r3, r6
    bhi     refused
    movs    r2, #0

walk:
    movs    r6, #0
    str     r6, [sp, #list]
next_list:
    ldr     r6, [sp, #list]
    cmp     r6, #4 * 4
    beq     end_of_walk
    ldr     r4, [sp, #program]
    ldr     r5, [sp, #slow]
    str     r5, [r4, #CF_M_APART]       /* at last, that of CF_PINS_AFTER */
    adds    r4, #CF_M_LISTS
    adds    r4, r4, r6
    adds    r4, r4, r6
    stm     r4!, {r0, r2}
    ldr     r4, [sp, #lists]
    ldr     r5, [r4, r6]
    adds    r7, r6, #4
    lsrs    r6, r5, #4                  /* of 16 entries and more */
    ldr     r3, [r0, #CF_M_ENTRY + 4]
    ldr     r4, [r0, #CF_M_ENTRY + 8]
    add     r1, sp, #in_r1
    stm     r1!, {r3-r7}
    movs    r3, #CF_M_ENTRY             /* from r7 to the entry */

next_entry:
    ldr     r6, [sp, #left]
    subs    r6, #1
    blo     end_of_list
    str     r6, [sp, #left]
    cmp     r0, r12
    bhi     refused
    ldr     r1, [r0, #CF_M_ENTRY]       /* control */
    ldr     r7, =0xe0c8                 /* what it has not */
    ldr     r6, [sp, #list]
    cmp     r6, #4 * 4
    bne     1f
    movs    r7, #0x33                   /* READ, WRITE and the width: all that it has in CF_PINS_SAFE */
    mvns    r7, r7
1:  tst     r7, r1
    bne     refused
    lsls    r7, r1, #26
    lsrs    r7, r7, #30                 /* width */
    cmp     r7, #3
    beq     refused

    ldr     r5, [r0, #CF_M_ENTRY + 8]   /* bits that may change: those of the mask, if it is of 32 bits, read and written */
    movs    r6, #0x23
    bics    r6, r1
    beq     2f
    lsrs    r5, r1, #2                  /* or else all, if it is written */
    sbcs    r5, r5
    mvns    r5, r5
2:  ldr     r6, =cf_pin_windows + 4
3:  ldr     r4, [r0, #CF_M_ENTRY + 4]
    ldm     r6!, {r1}
    subs    r4, r4, r1
    rors    r4, r7                      /* huge if it is not aligned */
    ldm     r6!, {r1}
    lsrs    r1, r7
    beq     refused
    cmp     r4, r1
    ldm     r6!, {r1}
    bhs     3b
    movs    r4, r5
    bics    r4, r1
    bne     3b

    ldr     r1, [r0, #CF_M_ENTRY]
    lsls    r6, r1, #30                 /* READ and WRITE; SLOT is carried out */
    bcc     4f
    beq     refused
    lsrs    r4, r1, #16
    bne     refused
    ldr     r6, [r0, #CF_M_ENTRY + 12]
    movs    r5, r6
    movs    r4, #2
    rors    r5, r4
    ldr     r4, [sp, #words]
    cmp     r5, r4
    bhs     refused

4:  movs    r4, #7                      /* flags come in from the right */
    ands    r4, r1
    adds    r4, #(7 << FIELDS) >> FLAGS
    cmp     r6, #128
    blo     5f
    movs    r6, #1
5:  adcs    r4, r4                      /* FAR */
    lsls    r6, r6, #4
    str     r6, [sp, #slot]
    lsls    r6, r1, #19
    lsrs    r6, r6, #27
    cmp     r6, #1
    adcs    r4, r4                      /* SHIFT */
    lsls    r6, r6, #6
    str     r6, [sp, #shift]
    lsrs    r6, r1, #16
    cmp     r6, #1
    adcs    r4, r4                      /* WAIT */
    ldr     r5, [sp, #slow]
    orrs    r5, r6
    str     r5, [sp, #slow]
    str     r3, [sp, #bytes]
    lsrs    r5, r3, #7
    orrs    r6, r5
    cmp     r6, #1
    blo     6f
    movs    r3, #0
6:  adcs    r4, r4                      /* FROM */
    lsls    r6, r3, #4
    str     r6, [sp, #entry]
    ldr     r5, [r0, #CF_M_ENTRY + 4]
    ldr     r6, [sp, #in_r1]
    subs    r6, r5, r6
    rors    r6, r7
    cmp     r6, #32
    blo     7f
    str     r5, [sp, #in_r1]
    movs    r6, #0
7:  adcs    r4, r4                      /* BASE */
    lsls    r6, r6, #6
    movs    r5, #1
    lsls    r5, r7
    lsls    r5, r5, #30                 /* of LDR, LDRB and LDRH bits 15 to 12 are 6, 7 and 8 */
    lsrs    r5, r5, #18
    adds    r6, r6, r5
    str     r6, [sp, #access]
    ldr     r5, [r0, #CF_M_ENTRY + 8]
    ldr     r6, [sp, #in_r3]
    str     r5, [sp, #in_r3]
    eors    r6, r5
    cmp     r6, #1
    adcs    r4, r4                      /* MASK */
    mvns    r5, r5
    cmp     r5, #1
    adcs    r4, r4                      /* PART */
    b       emit
    .pool

    .balign 4
rows:
    row     0x3700, FROM, bytes         /*    adds  r7, #bytes */
    row     0x68fa, FAR, entry          /*    ldr   r2, [r7, #value], which is that, or a slot's */
    row     0x4402, SLOT | FAR          /*    add   r2, r0 */
    row     0x6802, SLOT | WRITE, slot  /*    ldr   r2, [r0, #slot] */
    row     0x0012, SLOT | WRITE | SHIFT, shift /* lsls r2, r2, #shift */
    row     0x6879, BASE, entry         /*    ldr   r1, [r7, #address] */
    row     0x68bb, MASK, entry         /*    ldr   r3, [r7, #mask] */
    row     0x887d, WAIT                /*    ldrh  r5, [r7, #2], its reads */
    row     0x680c, READ, access        /* 1: ldr   r4, [r1, #far] */
    row     0x47d8, READ | WAIT         /*    blx   r11 */
    row     0xd1fc, READ | WAIT         /*    bne   1b */
    row     0x4062, READ | WRITE | PART /*    eors  r2, r4 */
    row     0x401a, WRITE | PART        /*    ands  r2, r3 */
    row     0x4062, READ | WRITE | PART /*    eors  r2, r4 */
    row     0x600a, WRITE, access       /*    str   r2, [r1, #far] */
    row     0, WRITE
    row     0x401c, SLOT | PART         /*    ands  r4, r3 */
    row     0x0824, SLOT | SHIFT, shift /*    lsrs  r4, r4, #shift */
    row     0x6004, SLOT, slot          /*    str   r4, [r0, #slot] */
    row     0x4730, LAST                /*    bx    r6 */
    row     0, 0

/* Called by the code after each read of a wait. Goes back with EQ if that was what it waits for, or else with NE, for one more. If there is none
 * left the list ends, with its entry in r7 and what has been read in r4. */
    .global cf_m_wait
    .thumb_func
cf_m_wait:
    push    {r4}
    ands    r4, r3
    cmp     r4, r2
    pop     {r4}
    beq     1f
    subs    r5, #1
    bne     1f
    bl      cf_m_waited
1:  bx      lr

/* cf_pins(l, list) */
    .global cf_pins
    .thumb_func
cf_pins:
    push    {r4-r7, lr}
    ldr     r7, [r0, #CF_M_CURRENT]
    lsls    r7, r7, #CF_M_PROGRAM_SHIFT
    adds    r7, r7, r0
    adds    r7, #CF_M_PROGRAM
    ldr     r3, [r7, #CF_M_LISTS]
    cmp     r3, #0
    beq     3f
    movs    r6, r0
    ldr     r4, =cf_m_around
    lsls    r5, r1, #3
    adds    r5, r5, r7
    adds    r5, #CF_M_LISTS
    subs    r1, #1
    lsrs    r1, r1, #1                  /* 0 of CF_PINS_BEFORE, which is 1, and of CF_PINS_AFTER, which leaves a carry */
    bne     1f
    ldr     r3, [r7, #CF_M_APART]
    tst     r3, r3
    bne     1f
    bcs     2f
    str     r5, [r4, #CF_M_AROUND]
    b       3f
1:  ldr     r0, [r7, #CF_M_DATA]
    ldm     r5!, {r1, r2}
    push    {r1, r2, r5, r6}            /* where a list would be that comes after it there is read: r5 will do */
    mov     r1, sp
    bl      cf_m_carry_out
    add     sp, #16
2:  ldr     r3, [r4, #CF_M_WAITED]
    cmp     r3, #0
    beq     3f
    movs    r0, #0
    str     r0, [r4, #CF_M_WAITED]
    movs    r1, #CF_FAULT_WAIT
    ldr     r2, [r4]
    ldr     r4, [r3, #4]
    ldr     r5, [r7, #CF_M_LISTS]
    subs    r5, r3, r5
    lsrs    r5, r5, #4
    movs    r3, #0
    ldr     r7, [r6, #CF_M_TICK]
    adds    r6, #CF_M_FAILURE
    stm     r6!, {r1-r5, r7}
    movs    r3, #CF_LOOP_END_WAIT
3:  movs    r0, r3                      /* or CF_LOOP_END_NONE, which is 0 */
    pop     {r4-r7, pc}
    .pool
#endif
