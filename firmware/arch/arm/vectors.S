/*
 * Exception vectors, and the way into a program and out of it.
 *
 * Programs run in User mode with interrupts on; the runner runs in Supervisor mode on its own stack. cf_arm_enter saves
 * the runner's registers and goes down; whatever brings the processor up again for good (the program's return, a fault,
 * the time limit) ends in leave, which returns from cf_arm_enter with struct cf_arm_exit filled in. Nothing of a program
 * survives that, so nothing of it is saved, and the other modes need no stacks. The runner is compiled without
 * floating-point registers, so interrupts leave a program's alone, and a VFP11 has nothing of the runner's to hand over.
 */
#include "arch/arm/sysreg.h"

#define EXIT_UNDEFINED 0 /* enum cf_arm_exit_reason */
#define EXIT_SVC 1
#define EXIT_PREFETCH 2
#define EXIT_DATA 3
#define EXIT_EXPIRED 4
#define EXIT_OTHER 5
#define CF_PLATFORM_TICK 2 /* enum cf_platform_event */

    .fpu    vfpv2
    .text
    .arm
    .balign 32
    .global cf_arm_vectors
cf_arm_vectors:
    b       other                       /* reset does not come here */
    b       undefined
    b       supervisor_call
    b       prefetch_abort
    b       data_abort
    b       other                       /* calls to Hyp mode are undefined below it */
    b       interrupt
    b       other                       /* FIQ: masked, and nothing is routed to it */

undefined:
#if __ARM_ARCH < 7
    /* While a VFP11 has an operation for software, it refuses what a program asks of it next, in A32. SP of this mode is no stack. */
    mrs     sp, spsr
    and     sp, sp, #(PSR_THUMB | MODE_MASK)
    cmp     sp, #MODE_USR
    bne     1f
    fmrx    sp, fpexc
    tst     sp, #FPEXC_EX
    bne     handed_over
1:
#endif
    mov     r0, #EXIT_UNDEFINED
    b       failed
supervisor_call:
    mov     r0, #EXIT_SVC
    b       failed
prefetch_abort:
    mov     r0, #EXIT_PREFETCH
    b       failed
data_abort:
    mov     r0, #EXIT_DATA
    b       failed
other:
    mov     r0, #EXIT_OTHER
failed:
    mrs     r1, spsr
    mov     r2, lr
    cps     #MODE_SVC
    and     r3, r1, #MODE_MASK
    cmp     r3, #MODE_USR
    beq     leave
    /* The runner itself failed. Its stack may be the reason: go to one of our own, and never back. */
    ldr     sp, =cf_fault_stack_top
    b       cf_arm_fatal

/* void cf_arm_enter(uintptr_t entry, void *data, struct cf_arm_exit *exit); interrupts are masked here and stay masked
 * on return. */
    .global cf_arm_enter
cf_arm_enter:
    push    {r2, r4-r11, lr}
    cps     #MODE_SYS                   /* has User mode's SP and LR */
    ldr     sp, =cf_program_stack_top
    ldr     lr, =cf_arm_gate
    cps     #MODE_SVC
    mov     r4, r0
    mov     r5, r1
    mov     r6, r2
    /* A VFP11 that has bounced an operation of the program before takes no other until this is written. */
    mov     r0, #FPEXC_ENABLE
    fmxr    fpexc, r0
    mov     r0, #FPSCR_PROGRAM
    fmxr    fpscr, r0
    mov     r0, #CPSR_PROGRAM
    msr     spsr_cxsf, r0
    bl      cf_platform_now
    strd    r0, r1, [r6]
    mov     lr, r4
    mov     r0, r5
    /* A program sees the same registers in every run, and none of the runner's addresses. */
    .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    mov     r\n, #0
    .endr
    movs    pc, lr

/* r0: reason, r1: SPSR, r2: LR. Every register but SP belonged to the program. */
leave:
    mov     r4, r0
    mov     r5, r1
    mov     r6, r2
    bl      cf_platform_now
    ldr     r7, [sp]
    strd    r0, r1, [r7, #8]
    str     r4, [r7, #16]
    str     r5, [r7, #20]
    str     r6, [r7, #24]
    pop     {r2, r4-r11, pc}

interrupt:
    sub     lr, lr, #4
    srsdb   sp!, #MODE_SVC
    cps     #MODE_SVC
    push    {r0-r3, r12, lr}
    and     r1, sp, #4                  /* C wants SP in multiples of 8 */
    sub     sp, sp, r1
    push    {r1, r2}
    order_devices
    bl      cf_platform_interrupts
    order_devices
    cmp     r0, #CF_PLATFORM_TICK
    bne     2f
    /* A tick of the loop is carried out here, with interrupts on: its program is called as by the rest of the runner. */
    bl      cf_platform_tick
    cpsid   i
    bl      cf_platform_ticked
    mov     r0, #0
    order_devices
2:  pop     {r1, r2}
    add     sp, sp, r1
    cmp     r0, #0
    beq     1f
    ldr     r1, [sp, #28]               /* SPSR */
    and     r2, r1, #MODE_MASK
    cmp     r2, #MODE_USR
    bne     1f
    ldr     r2, [sp, #24]               /* where the program was */
    add     sp, sp, #32
    mov     r0, #EXIT_EXPIRED
    b       leave
1:  pop     {r0-r3, r12, lr}
    rfeia   sp!

#if __ARM_ARCH < 7

/* What the VFP11 has handed over is carried out here, and the program goes on with what was refused. */
handed_over:
    sub     lr, lr, #4
    srsdb   sp!, #MODE_SVC
    cps     #MODE_SVC
    push    {r0-r3, r12, lr}
    fmrx    r1, fpexc
    fmrx    r2, fpinst
    fmrx    r3, fpinst2
    mov     r0, #FPEXC_ENABLE           /* until then it refuses everything else */
    fmxr    fpexc, r0
    fmrx    r0, fpscr
    push    {r0-r3}                     /* struct cf_vfp11 */
    vpush   {d0-d15}
    mov     r0, sp
    bl      cf_vfp11_finish
    cmp     r0, #0
    vpop    {d0-d15}
    pop     {r0-r3}
    fmxr    fpscr, r0
    beq     1f
    pop     {r0-r3, r12, lr}
    rfeia   sp!
1:  ldr     r1, [sp, #28]               /* SPSR */
    ldr     r2, [sp, #24]
    add     r2, r2, #4
    add     sp, sp, #32
    mov     r0, #EXIT_UNDEFINED
    b       leave

#endif

/* Where a program returns to: on a page of its own, the only part of the image that programs may execute. */
    .section .gate, "ax"
    .arm
    .balign 4096
    .global cf_arm_gate
cf_arm_gate:
    svc     #0
    b       cf_arm_gate
    .balign 4096
    .global cf_arm_gate_end
cf_arm_gate_end:
