/*
 * Exception vectors, and the way into a program and out of it.
 *
 * Programs run in thread mode on the process stack, unprivileged where the core knows that; the runner runs on the main
 * stack, and handlers too. All exceptions but HardFault have the same priority, so handlers do not nest. cf_m_enter
 * leaves its registers and its stack pointer behind; whatever ends a program (its SVC at the gate, a fault, the time
 * limit) comes to cf_m_stop, and from there to cf_m_leave, in a handler, which goes back to where they are. Nothing of a program survives that, so
 * nothing of it is saved. Floating-point registers are never pushed: the runner does not use them.
 *
 * A program that is alone in its tick has its inputs sampled by the last that the runner does before it, and its outputs committed by the
 * first that the handler of its SVC does: everything else comes before the one or after the other.
 */
#include "arch/cortex-m/pins.h"
#include "arch/cortex-m/registers.h"

    .syntax unified
    .thumb

/* A chip may have to do something before anybody writes to RAM; then it names what does it, and goes on to cf_m_reset. */
#ifndef CF_FIRST
#define CF_FIRST cf_m_reset
#endif

    .section .vectors, "ax"
    .global cf_m_vectors, cf_m_barrier, cf_arch_restart
cf_m_vectors:
    .word   cf_runner_stack_top
    .word   CF_FIRST
    .word   cf_arch_restart             /* NMI: where it is wired at all, a watchdog has run out */
    .word   trap                        /* HardFault */
#ifdef __ARM_ARCH_6M__
    .thumb_func
cf_arch_restart:                        /* instead of four exceptions that this core does not have; its writes are in order */
    ldr     r0, =AIRCR
    ldr     r1, =AIRCR_RESET
    str     r1, [r0]
    b       .
    .pool
#else
    .word   trap                        /* MemManage, BusFault, UsageFault, SecureFault */
    .word   trap
    .word   trap
    .word   trap
#endif
    .thumb_func
cf_m_barrier:                           /* instead of three exceptions that there will never be */
    dsb
    isb
    bx      lr
    .balign 4
    .word   call                        /* SVC */
    .word   trap
    .word   trap
    .word   trap                        /* PendSV */
    .word   cf_m_interrupt              /* SysTick; those of the chip follow */

#ifndef __ARM_ARCH_6M__
    .section .text.cf_arch_restart, "ax"
    .thumb_func
cf_arch_restart:
    dsb
    ldr     r0, =AIRCR
    ldr     r1, =AIRCR_RESET
    str     r1, [r0]
    b       .
    .pool
#endif

/* void cf_m_enter(uintptr_t entry, void *data, const struct cf_pin_code *around, uint32_t control). What an SVC takes from the main stack (see `call`) is that
 * of the program, as long as it runs: only the runner writes there. */
    .section .text.cf_m_enter, "ax"
    .balign 4
    .global cf_m_enter
    .thumb_func
cf_m_enter:
#ifdef __ARM_ARCH_6M__
    push    {r3-r7, lr}                 /* r3 makes it a multiple of 8, which handlers will count on */
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    push    {r4-r7}
#else
    push    {r3-r11, lr}
#endif
    mov     r9, r3
    ldr     r3, =cf_m_around
    mov     r4, sp
    str     r4, [r3, #CF_M_SP]
    ldr     r3, =cf_program_stack_top - 8
    ldr     r6, =cf_m_start             /* in the gate: from its MSR on, only that can be executed */
    mov     r4, r6
    adds    r4, #CF_M_GATE              /* a program returns to what is on its stack, or in lr */
    str     r4, [r3, #4]
    msr     psp, r3
    mov     r8, r0
    mov     r0, r1
    ldm     r2, {r2-r5}                 /* for each list: from where its entries are reached, and its code */
    adds    r3, #CF_M_CODE_AT + 1
    adds    r5, #CF_M_CODE_AT + 1
    mov     r7, r2
    mov     r12, r3
    ldr     r1, [r4, #CF_M_ENTRY + 4]   /* as lists want them: address and mask of the first entry */
    ldr     r2, [r4, #CF_M_ENTRY + 8]
    ldr     r3, =called
    push    {r0-r5}
#if !CF_DRIVER
    ldr     r1, =cf_m_wait
    mov     r11, r1
#endif
    /* A program without inputs sees the same registers in every run; with them, what their list has left. */
    movs    r2, #0
#ifdef CF_FPSCR                         /* round to nearest, subnormals kept, no default NaN */
    .fpu    fpv4-sp-d16
    .if     CF_FPSCR == 0
    vmsr    fpscr, r2
    .else
    ldr     r1, =CF_FPSCR
    vmsr    fpscr, r1
    .endif
#endif
    ldr     r1, [r7, #CF_M_ENTRY + 4]
    ldr     r3, [r7, #CF_M_ENTRY + 8]
    movs    r4, #0
    movs    r5, #0
    mov     r10, r0                     /* the data block: programs for this core take it from here, and from r4 on ARMv6-M */
#if CF_DRIVER
    mov     r11, r2
#endif
    cpsie   i
    bx      r12
    .global cf_m_waited
    .thumb_func
cf_m_waited:                            /* an input has been waited for in vain */
    cpsid   i
    ldr     r3, =cf_m_around
    stm     r3!, {r4, r7}
    .global cf_m_listed
    .thumb_func
cf_m_listed:
    add     sp, #24
resumed:
#ifdef __ARM_ARCH_6M__
    pop     {r4-r7}
    mov     r8, r4
    mov     r9, r5
    mov     r10, r6
    mov     r11, r7
    pop     {r3-r7, pc}
#else
    pop     {r3-r11, pc}
#endif
    .pool

nothing:
    bx      r6

    .section .rodata.cf_m_none, "a"
    .balign 4
    .global cf_m_none
cf_m_none:
    .word   cf_m_none - CF_M_ENTRY, nothing - CF_M_CODE_AT
    .word   cf_m_none - CF_M_ENTRY, nothing - CF_M_CODE_AT

/* Interrupts. A tick of the loop is carried out in thread mode, on the main stack above what was interrupted, and is left by an
 * SVC, whose handler goes back there. */
    .section .text.cf_m_interrupt, "ax"
    .balign 4
    .global cf_m_interrupt
    .thumb_func
cf_m_interrupt:
    push    {r3, lr}                    /* r3 makes it a multiple of 8 */
    mrs     r0, ipsr
    subs    r0, #EXCEPTION_IRQ0
    bl      cf_platform_interrupt
    cmp     r0, #CF_M_ALARM
    bhi     2f
    blo     1f
    ldr     r0, [sp, #4]
    bl      cf_m_stop
1:  pop     {r3, pc}
2:  cpsid   i
    add     sp, #8
    mov     r3, sp
    adr     r2, tick
    b       go

/* In a handler: back to where cf_m_enter was called. */
    .global cf_m_leave
    .thumb_func
cf_m_leave:
    ldr     r3, =cf_m_around
    ldr     r3, [r3, #CF_M_SP]
    ldr     r2, =resumed

/* To the runner in thread mode, with its stack at r3, to the place in r2. */
go: subs    r3, #32                     /* the frame of an exception that came just there */
    ldr     r1, =late
    str     r1, [r3, #20]
    str     r2, [r3, #24]
    movs    r2, #XPSR_THUMB >> 24
    lsls    r2, r2, #24
    str     r2, [r3, #28]
    mov     sp, r3
    movs    r0, #0
    msr     control, r0
    subs    r0, #-EXC_RETURN_RUNNER
    bx      r0

    .balign 4
tick:
    bl      cf_platform_tick
    ldr     r3, =service
    mov     lr, r3
    mov     r3, r6
    mov     r12, r7
    svc     #0
    .pool

/* Everything but interrupts. If it comes from a program (EXC_RETURN bit 2), r4 to r7 are still its own. If not, the
 * runner itself has failed, and its stack may be the reason: go to a fresh one, and never back. */
    .macro  reason
#ifdef __ARM_ARCH_6M__                  /* whose fault does not tell it: r1 points to what the instruction may have used */
    push    {r4-r7}
    mov     r1, sp
#endif
    .endm

    .section .text.cf_m_trap, "ax"
    .thumb_func
trap:
    mov     r0, lr
    lsls    r1, r0, #29
    bpl     1f
    .thumb_func
stopped:
    reason
    bl      cf_m_stop
1:  mov     r0, sp
    ldr     r1, =cf_runner_stack_top
    mov     sp, r1
    reason
    bl      cf_m_fatal
    .pool

/* A call by which a tick has ended. */
    .thumb_func
service:
    add     sp, #8                      /* behind its frame is that of what the tick has interrupted */
    push    {r3, lr}
    bl      cf_platform_ticked
    pop     {r3, pc}

/* A program has come to the gate, or has made a call of its own. Its outputs are out, if any. */
    .section .text.cf_m_called, "ax"
    .thumb_func
called:
#ifndef __ARM_ARCH_6M__
    ldr     r1, =SHCSR                  /* there was nowhere to push the frame to, perhaps */
    ldr     r1, [r1]
    ldr     r2, =SHCSR_PENDED
    tst     r1, r2
    bne     1f
#endif
    mrs     r1, psp
    ldr     r1, [r1, #24]
    ldr     r2, =cf_m_gate + CF_M_DSB + 2
    cmp     r1, r2
    bne     1f
    ldr     r1, =cf_m_program
    movs    r2, #0
    str     r2, [r1]
    bl      cf_m_leave
1:  mov     r0, lr
    bl      stopped
    .pool

/* All calls: who has arranged for them has left on the main stack where they go, and what is needed there. Of the runner's own
 * it is the first six words of its frame. */
    .section .text.cf_m_call, "ax"
    .thumb_func
call:
    pop     {r0, r1, r3, r6, r7, pc}

/* The call of a program without a stack to make it from, whose fault has come first and ended it: this was still to come. */
    .thumb_func
late:
    sub     sp, #24
    bx      lr

/* The only part of the runner that programs may execute. Before it has begun, a program is here;
 * it returns to cf_m_gate. An MSR that gives rights does nothing in a program. */
    .section .gate, "ax"
    .global cf_m_gate
    .thumb_func
cf_m_start:
    msr     control, r9                 /* from here to the program are CF_M_GATE bytes */
    isb
#ifdef __ARM_ARCH_6M__
    mov     r4, r0
#endif
    blx     r8
cf_m_gate:
    dsb                                 /* a write that the bus has yet to refuse is the program's */
    svc     #0
    b       cf_m_gate
