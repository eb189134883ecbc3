/*
 * From reset in machine mode to C with a stack, zeroed variables and memory protection. Entered by all harts; all but
 * hart 0 are parked.
 */
#include "arch/riscv/riscv.h"

/* An instruction that traps where the core has not what it is about: then the next one follows, too. Changes t0. */
    .macro  attempt instruction:vararg
#ifdef CF_RISCV_PROBE
    la      t0, 9f
    csrw    mtvec, t0
#endif
    \instruction
#ifdef CF_RISCV_PROBE
    .balign 4
9:  la      t0, TRAPS
    csrw    mtvec, t0
#endif
    .endm

    .section .text.reset, "ax"
    .global cf_arch_reset
cf_arch_reset:
    csrci   mstatus, MSTATUS_MIE
    csrw    mscratch, zero              /* the vector before anything that may trap */
    la      t0, TRAPS
    csrw    mtvec, t0
#ifndef CF_RISCV_ESP                    /* whose interrupts are enabled in their controller */
    csrw    mie, zero
#endif
    csrr    t0, mhartid
    bnez    t0, park
    csrr    t0, misa
    li      t1, MISA_S
    and     t0, t0, t1
    beqz    t0, 1f
    csrw    medeleg, zero               /* every trap comes to machine mode */
    csrw    mideleg, zero
1:
#ifndef CF_RISCV_ESP                    /* which has no such register, and counters that programs may read */
    attempt csrw mcounteren, zero       /* programs get no counters; a core without user mode has no such register */
#endif
    li      t0, MSTATUS_TW              /* and do not sleep */
#ifdef CF_RISCV_FLOAT
    li      t1, MSTATUS_FS_INITIAL
    or      t0, t0, t1
#endif
    csrs    mstatus, t0
    la      t0, cf_bss_start            /* also what a restart keeps */
    la      t1, cf_zeroed_end
    call    zero_words
    j       cf_arch_restart

/* Parked for good: no interrupt is enabled. */
park:
    wfi
    j       park

/* Zeroes words from t0 up to t1. */
zero_words:
    bgeu    t0, t1, 1f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       zero_words
1:  ret

/* From here on after a fault of the runner itself, too. */
    .text
    .global cf_arch_restart
cf_arch_restart:
    csrci   mstatus, MSTATUS_MIE
    la      sp, cf_runner_stack_top
    la      t0, cf_bss_start
    la      t1, cf_bss_end
    call    zero_words
    call    cf_rv_pmp_init
#ifndef CF_RISCV_ESP
    li      t0, MIE_TIMER | MIE_EXTERNAL
    csrw    mie, t0
#endif
    call    main
    j       cf_arch_restart             /* main does not return; if it did, start over */
