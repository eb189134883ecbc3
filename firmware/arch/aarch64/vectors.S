/*
 * Exception vectors, and the way into a program and out of it.
 *
 * Programs run at EL0 with interrupts on; the runner runs at EL1 on its own stack. cf_a64_enter saves the runner's
 * registers and goes down; whatever brings the processor up again for good (the program's return, a fault, the time
 * limit) ends in cf_a64_leave, which returns from cf_a64_enter with struct cf_a64_exit filled in. Nothing of a program
 * survives that, so nothing of it is saved. The runner is compiled without floating-point registers, so interrupts
 * leave a program's alone.
 */
#include "arch/aarch64/sysreg.h"

#define EXIT_SYNC 0   /* enum cf_a64_exit_reason */
#define EXIT_SERROR 1
#define EXIT_EXPIRED 2
#define CF_PLATFORM_TICK 2 /* enum cf_platform_event */

#define IRQ_FRAME 176 /* x0 to x18 and x30; where a tick may come, what the processor went on with */
#define RETURN 160
#define ENTER_FRAME 112

    .macro vector target
    .balign 128
    b       \target
    .endm

    .macro leave_vector reason
    .balign 128
    mrs     x1, cntvct_el0              /* taking an exception has synchronised the counter */
    mov     x0, #\reason
    b       cf_a64_leave
    .endm

    .macro save_caller_registers
    sub     sp, sp, #IRQ_FRAME
    stp     x0, x1, [sp]
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x30, [sp, #144]
    .endm

    .macro restore_caller_registers
    ldp     x0, x1, [sp]
    ldp     x2, x3, [sp, #16]
    ldp     x4, x5, [sp, #32]
    ldp     x6, x7, [sp, #48]
    ldp     x8, x9, [sp, #64]
    ldp     x10, x11, [sp, #80]
    ldp     x12, x13, [sp, #96]
    ldp     x14, x15, [sp, #112]
    ldp     x16, x17, [sp, #128]
    ldp     x18, x30, [sp, #144]
    add     sp, sp, #IRQ_FRAME
    .endm

    .text
    .balign 2048
    .global cf_a64_vectors
cf_a64_vectors:
    vector  fatal_sync                  /* EL1 on SP_EL0: not used */
    vector  fatal_sync
    vector  fatal_sync
    vector  fatal_serror
    vector  fatal_sync                  /* EL1: the runner itself */
    vector  runner_irq
    vector  fatal_sync
    vector  fatal_serror
    leave_vector EXIT_SYNC              /* EL0, AArch64: a program */
    vector  program_irq
    vector  fatal_sync
    leave_vector EXIT_SERROR
    vector  fatal_sync                  /* EL0, AArch32: not used */
    vector  fatal_sync
    vector  fatal_sync
    vector  fatal_serror
    .balign 128

/* void cf_a64_enter(uintptr_t entry, void *data, struct cf_a64_exit *exit); interrupts are masked here and stay masked
 * on return. */
    .global cf_a64_enter
cf_a64_enter:
    sub     sp, sp, #ENTER_FRAME
    stp     x19, x20, [sp]
    stp     x21, x22, [sp, #16]
    stp     x23, x24, [sp, #32]
    stp     x25, x26, [sp, #48]
    stp     x27, x28, [sp, #64]
    stp     x29, x30, [sp, #80]
    str     x2, [sp, #96]
    msr     daifset, #15                /* from here on an exception would destroy ELR and SPSR */
    msr     elr_el1, x0
    mov     x3, #SPSR_EL0
    msr     spsr_el1, x3
    adrp    x3, cf_program_stack_top
    add     x3, x3, :lo12:cf_program_stack_top
    msr     sp_el0, x3
    adrp    x30, cf_a64_gate
    add     x30, x30, :lo12:cf_a64_gate
    msr     fpcr, xzr                   /* round to nearest, no flush to zero, default-NaN off, no traps */
    msr     fpsr, xzr
    mov     x0, x1

    /* A program sees the same registers in every run, and none of the runner's addresses. */
    .irp    n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    mov     x\n, xzr
    .endr
    isb
    mrs     x1, cntvct_el0
    str     x1, [x2]
    mov     x1, xzr
    mov     x2, xzr
    eret

/* x0: reason, x1: time. Every register but SP belongs to the program. */
cf_a64_leave:
    ldr     x2, [sp, #96]
    mrs     x3, esr_el1
    mrs     x4, elr_el1
    mrs     x5, far_el1
    str     x1, [x2, #8]
    stp     x3, x4, [x2, #16]
    stp     x5, x0, [x2, #32]
    ldp     x19, x20, [sp]
    ldp     x21, x22, [sp, #16]
    ldp     x23, x24, [sp, #32]
    ldp     x25, x26, [sp, #48]
    ldp     x27, x28, [sp, #64]
    ldp     x29, x30, [sp, #80]
    add     sp, sp, #ENTER_FRAME
    ret

/* A tick of the loop is carried out here, with interrupts on: its program is called as by the rest of the runner. */
runner_irq:
    save_caller_registers
    mrs     x0, elr_el1
    mrs     x1, spsr_el1
    stp     x0, x1, [sp, #RETURN]
    bl      cf_platform_interrupts
    cmp     w0, #CF_PLATFORM_TICK
    b.ne    1f
    bl      cf_platform_tick
    msr     daifset, #15
    bl      cf_platform_ticked
1:  ldp     x0, x1, [sp, #RETURN]
    msr     elr_el1, x0
    msr     spsr_el1, x1
    restore_caller_registers
    eret

program_irq:
    save_caller_registers
    bl      cf_platform_interrupts
    cbnz    w0, 1f
    restore_caller_registers
    eret
1:  add     sp, sp, #IRQ_FRAME
    mrs     x1, cntvct_el0
    mov     x0, #EXIT_EXPIRED
    b       cf_a64_leave

/* bool cf_arch_answers(uintptr_t address); a read that nothing answers is a synchronous external abort of the processors here. */
    .global cf_arch_answers
cf_arch_answers:
attempt:
    ldr     w0, [x0]
    mov     w0, #1
    ret
no_answer:
    mov     w0, #0
    ret

/* The runner itself failed, unless it only tried. Its stack may be the reason: go to one of our own, and never back. */
fatal_serror:
    mov     x0, #EXIT_SERROR
    b       1f
fatal_sync:
    mrs     x2, elr_el1
    adr     x1, attempt
    cmp     x2, x1
    b.ne    2f
    adr     x1, no_answer
    msr     elr_el1, x1
    eret
2:  mov     x0, #EXIT_SYNC
1:  adrp    x4, cf_fault_stack_top
    add     x4, x4, :lo12:cf_fault_stack_top
    mov     sp, x4
    mrs     x1, esr_el1
    mrs     x2, elr_el1
    mrs     x3, far_el1
    b       cf_a64_fatal

/* Where a program returns to: on a page of its own, the only part of the image that EL0 may execute. */
    .section .gate, "ax"
    .balign 4096
    .global cf_a64_gate
cf_a64_gate:
    svc     #0
    b       cf_a64_gate
    .balign 4096
    .global cf_a64_gate_end
cf_a64_gate_end:
