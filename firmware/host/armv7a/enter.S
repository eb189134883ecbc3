/* Start of the process, stacks, and the way into programs and back. */
        .syntax unified
        .arm
        .fpu    vfpv3-d16

        .bss
        .balign 4
saved_sp:
        .skip   4

        .text
        .globl  _start
        .type   _start, %function
_start:
        mov     r11, #0
        mov     lr, #0
        mov     r0, sp
        bic     sp, sp, #7
        bl      cf_host_main
        udf     #0

/* _Noreturn void cf_host_switch(void (*run)(void), uintptr_t stack_top) */
        .globl  cf_host_switch
        .type   cf_host_switch, %function
cf_host_switch:
        mov     sp, r1
        blx     r0
        udf     #0

/* long cf_host_clone(long flags, uintptr_t stack_top, void (*run)(void)): the child begins on that stack. */
        .globl  cf_host_clone
        .type   cf_host_clone, %function
cf_host_clone:
        push    {r4, r5, r7, lr}
        mov     r5, r2
        mov     r2, #0
        mov     r3, #0
        mov     r4, #0
        mov     r7, #120                /* clone */
        svc     #0
        cmp     r0, #0
        popne   {r4, r5, r7, pc}
        mov     r11, #0
        blx     r5
        udf     #0

/* void cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top): a program begins with no register of the runner's but
 * r12, its own address, and in the default modes whatever a run before left; what it leaves itself does not reach the runner. */
        .globl  cf_host_enter
        .type   cf_host_enter, %function
cf_host_enter:
        push    {r4-r11, lr}
        sub     sp, sp, #4
        vpush   {d8-d15}
        movw    r3, #:lower16:saved_sp
        movt    r3, #:upper16:saved_sp
        str     sp, [r3]
        mov     r12, r0
        mov     r0, r1
        mov     sp, r2
        mov     r1, #0
        vmsr    fpscr, r1
        msr     apsr_nzcvq, r1
        .irp    d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        vmov    d\d, r1, r1
        .endr
        .irp    r, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        mov     r\r, #0
        .endr
        blx     r12
/* Signal handlers return here when they end a program, in A32 state and with nothing else that counts. */
        .globl  cf_host_landing
cf_host_landing:
        setend  le
        movw    r3, #:lower16:saved_sp
        movt    r3, #:upper16:saved_sp
        ldr     sp, [r3]
        mov     r1, #0
        vmsr    fpscr, r1
        vpop    {d8-d15}
        add     sp, sp, #4
        pop     {r4-r11, pc}

        .globl  cf_host_signal
        .type   cf_host_signal, %function
cf_host_signal:
        b       cf_host_on_signal

        .globl  cf_host_restorer
        .type   cf_host_restorer, %function
cf_host_restorer:
        mov     r7, #173                /* rt_sigreturn */
        svc     #0
        udf     #0

        .section .note.GNU-stack, "", %progbits
