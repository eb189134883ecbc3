/*
 * Traps, and the way into a program and out of it.
 *
 * Programs run in user mode, which cannot mask interrupts; the runner runs in machine mode on its own stack. mscratch is 0
 * while the runner runs, and its stack pointer while a program does. cf_rv_enter saves the runner's registers and goes
 * down; whatever brings the processor up again for good (the program's return, a fault, the time limit) ends in leave,
 * which returns from cf_rv_enter with struct cf_rv_exit filled in. Nothing of a program survives that, so nothing of it is
 * saved. The runner is compiled without floating-point registers, so interrupts leave a program's alone.
 */
#include "arch/riscv/riscv.h"

    .macro store reg, slot
#if REGISTER_BYTES == 8
    sd      \reg, (\slot) * 8(sp)
#else
    sw      \reg, (\slot) * 4(sp)
#endif
    .endm

    .macro load reg, slot
#if REGISTER_BYTES == 8
    ld      \reg, (\slot) * 8(sp)
#else
    lw      \reg, (\slot) * 4(sp)
#endif
    .endm

/* What a C function may change, but t0 (slot 0), from slot 1 on. */
    .macro  each_caller_register operation
    .set    slot, 1
    .irp    reg, ra, t1, t2, t3, t4, t5, t6, a0, a1, a2, a3, a4, a5, a6, a7
    \operation \reg, slot
    .set    slot, slot + 1
    .endr
    .endm

    .macro  each_callee_register operation
    .set    slot, 1
    .irp    reg, ra, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    \operation \reg, slot
    .set    slot, slot + 1
    .endr
    .endm

#define USER_SP 16
#define RETURN 17 /* and the next one: mepc, mstatus */
#define CF_PLATFORM_TICK 2 /* enum cf_platform_event */
#define IRQ_FRAME (20 * REGISTER_BYTES)
#define EXIT 0 /* slot of the pointer to struct cf_rv_exit */
#define ENTER_FRAME (16 * REGISTER_BYTES)

/* struct cf_rv_exit */
#define START 0
#define END 8
#define CAUSE 16
#define PC (16 + REGISTER_BYTES)
#define VALUE (16 + 2 * REGISTER_BYTES)
#define EXPIRED (16 + 3 * REGISTER_BYTES)

/* The clock at `offset` of what s1 points to. */
    .macro  stamp offset
    call    cf_platform_now
#if REGISTER_BYTES == 8
    sd      a0, \offset(s1)
#else
    sw      a0, \offset(s1)
    sw      a1, \offset + 4(s1)
#endif
    .endm

    .macro  put reg, offset
#if REGISTER_BYTES == 8
    sd      \reg, \offset(s1)
#else
    sw      \reg, \offset(s1)
#endif
    .endm

    .text
#ifdef CF_RISCV_ESP
/* One for exceptions and one for each interrupt: 32 instructions of 4 bytes, at a multiple of 256. */
    .balign 256
    .global cf_rv_vectors
cf_rv_vectors:
    .option push
    .option norvc
    .rept   32
    j       cf_rv_trap
    .endr
    .option pop
#endif

    .balign 4
    .global cf_rv_trap
cf_rv_trap:
    csrrw   sp, mscratch, sp
    bnez    sp, from_program
    csrr    sp, mcause                  /* the runner's SP is in mscratch */
    bgez    sp, fatal
    csrrw   sp, mscratch, zero
    addi    sp, sp, -IRQ_FRAME
    store   t0, 0
    each_caller_register store
    call    cf_platform_interrupts
    li      t0, CF_PLATFORM_TICK
    bne     a0, t0, 1f
    /* A tick of the loop is carried out here, with interrupts on: its program is called as by the rest of the runner. */
    csrr    t0, mepc
    store   t0, RETURN
    csrr    t0, mstatus
    store   t0, RETURN + 1
    call    cf_platform_tick
    csrci   mstatus, MSTATUS_MIE
    call    cf_platform_ticked
    load    t0, RETURN
    csrw    mepc, t0
    load    t0, RETURN + 1
    csrw    mstatus, t0
1:  each_caller_register load
    load    t0, 0
    addi    sp, sp, IRQ_FRAME
    mret

/* The runner itself failed. Its stack may be the reason: go to one of our own, and never back. */
fatal:
    csrw    mscratch, zero
    la      sp, cf_fault_stack_top
    csrr    a0, mcause
    csrr    a1, mepc
    csrr    a2, mtval
    call    cf_rv_fatal

/* The program's SP is in mscratch, and ours is the runner's. */
from_program:
    addi    sp, sp, -IRQ_FRAME
    store   t0, 0
    csrr    t0, mcause
    bgez    t0, failed
    each_caller_register store
    csrrw   t0, mscratch, zero
    store   t0, USER_SP
    call    cf_platform_interrupts
    bnez    a0, expired
    addi    t0, sp, IRQ_FRAME
    csrw    mscratch, t0
    each_caller_register load
    load    t0, 0
    load    sp, USER_SP
    mret

failed:
    csrw    mscratch, zero
    addi    sp, sp, IRQ_FRAME
    load    s1, EXIT
    stamp   END
    csrr    t0, mcause
    put     t0, CAUSE
    csrr    t0, mepc
    put     t0, PC
    csrr    t0, mtval
    put     t0, VALUE
    put     zero, EXPIRED
    j       leave

expired:
    addi    sp, sp, IRQ_FRAME
    load    s1, EXIT
    stamp   END
    csrr    t0, mepc
    put     t0, PC
    li      t0, 1
    put     t0, EXPIRED
leave:
    each_callee_register load
    addi    sp, sp, ENTER_FRAME
    ret

/* void cf_rv_enter(uintptr_t entry, void *data, struct cf_rv_exit *exit); interrupts are masked here and stay masked on
 * return. */
    .global cf_rv_enter
cf_rv_enter:
    addi    sp, sp, -ENTER_FRAME
    each_callee_register store
    store   a2, EXIT
    csrw    mepc, a0
    mv      s0, a1
    mv      s1, a2
    li      t0, MSTATUS_MPP
    csrc    mstatus, t0                 /* user mode */
    li      t0, MSTATUS_MPIE
    csrs    mstatus, t0
#ifdef CF_RISCV_FLOAT
    csrw    0x003, zero                 /* fcsr: round to nearest, no flags */
#endif
    stamp   START
    csrw    mscratch, sp
    /* What entries rely on (SPEC.md, section 9): the base of data by its register, which is ahead, and the return address on the stack. */
    la      sp, cf_program_stack_top - 16
    la      ra, cf_rv_gate
    store   ra, 1
    mv      a0, s0
    addi    s1, s0, 2047
    addi    s1, s1, 1
    /* A program sees the same registers in every run, and none of the runner's addresses but that of its return. */
    .irp    reg, gp, tp, t0, t1, t2, t3, t4, t5, t6, s0, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, a1, a2, a3, a4, a5, a6, a7
    li      \reg, 0
    .endr
    mret

/* Where a program returns to: an address that it may not execute, so that arriving there is a trap like any other; where nothing
 * confines it, by what is there. */
    .balign 4
    .global cf_rv_gate
cf_rv_gate:
    ebreak
