/*
 * Exception vectors, and the way into a program and out of it.
 *
 * Programs run in thread mode on the process stack, unprivileged where the core knows that; the runner runs on the main
 * stack, and handlers too. All exceptions but HardFault have the same priority, so handlers do not nest. cf_m_enter
 * leaves its registers and its stack pointer behind; whatever ends a program (its SVC at the gate, a fault, the time
 * limit) comes to cf_m_stop, and from there to cf_m_leave, in a handler, which goes back to where they are. Nothing of a program survives that, so
 * nothing of it is saved. Floating-point registers are never pushed: the runner does not use them.
 */
#include "arch/cortex-m/registers.h"

    .syntax unified
    .thumb

    .section .vectors, "ax"
    .global cf_m_vectors, cf_m_barrier, cf_arch_restart
cf_m_vectors:
    .word   cf_runner_stack_top
    .word   cf_m_reset
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

/* void cf_m_enter(uintptr_t entry, void *data) */
    .section .text.cf_m_enter, "ax"
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
    ldr     r3, =cf_m_resume
    mov     r4, sp
    str     r4, [r3]
    ldr     r3, =cf_program_stack_top
    msr     psp, r3
    mov     r2, r0
    mov     r0, r1
    ldr     r3, =cf_m_start             /* in the gate: from its MSR on, only that can be executed */
    bx      r3
    .pool

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
    ldr     r3, =cf_m_resume
    ldr     r3, [r3]
    adr     r2, resumed

/* To the runner in thread mode, with its stack at r3, to the place in r2. */
go: subs    r3, #32                     /* the frame of an exception that came just there */
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
ticked:
    svc     #0
    b       ticked
    .balign 4
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
2:  reason
    bl      cf_m_stop
1:  mov     r0, sp
    ldr     r1, =cf_runner_stack_top
    mov     sp, r1
    reason
    bl      cf_m_fatal
    .pool

/* The runner makes one call only, at the end of a tick. Another one that comes up in it is that of a program without a stack to make
 * it from, whose fault has ended it before. */
    .thumb_func
service:
    mov     r0, lr
    lsls    r1, r0, #29
    bmi     2b
    ldr     r0, [sp, #24]
    ldr     r1, =ticked + 2
    cmp     r0, r1
    bne     1f
    add     sp, #32                     /* behind its frame is that of what the tick has interrupted */
    push    {r3, lr}
    bl      cf_platform_ticked
    pop     {r3, pc}
1:  bx      lr
    .pool

/* The common call: of a program that has come back to the gate and has done no wrong. Nothing else is looked at. */
    .section .text.cf_m_call, "ax"
    .thumb_func
call:
    mov     r0, lr
    lsls    r1, r0, #29
    bpl     1f
#ifndef __ARM_ARCH_6M__
    ldr     r1, =SHCSR
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
    ldr     r2, [r1]
    cmp     r2, #0
    beq     1f
    movs    r2, #0
    str     r2, [r1]
    bl      cf_m_leave
1:  ldr     r1, =service
    bx      r1
    .pool

/* The only part of the runner that programs may execute. Before it has begun, a program is here;
 * it returns to cf_m_gate. */
    .section .gate, "ax"
    .global cf_m_gate
    .thumb_func
cf_m_start:
    /* A program sees the same registers in every run. */
    movs    r1, #CONTROL_PROGRAM
    movs    r4, #0
#ifdef CF_FPSCR                         /* round to nearest, subnormals kept, no default NaN */
    .fpu    fpv4-sp-d16
    .if     CF_FPSCR == 0
    vmsr    fpscr, r4
    .else
    ldr     r5, =CF_FPSCR
    vmsr    fpscr, r5
    .endif
#endif
    movs    r5, #0
    movs    r6, #0
    movs    r7, #0
    mov     r8, r4
    mov     r9, r4
    mov     r10, r4
    mov     r11, r4
    mov     r12, r4
    cpsie   i
    msr     control, r1                 /* from here to the program are CF_M_GATE bytes */
    isb
    blx     r2
cf_m_gate:
    dsb                                 /* a write that the bus has yet to refuse is the program's */
    svc     #0
    b       cf_m_gate
    .pool

    .section .bss.cf_m_resume, "aw", %nobits
    .balign 4
cf_m_resume:
    .space  4
