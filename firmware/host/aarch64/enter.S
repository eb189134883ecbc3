/* Start of the process, stacks, and the way into programs and back. */
        .bss
        .balign 8
saved_sp:
        .skip   8

        .text
        .globl  _start
        .type   _start, %function
_start:
        mov     x29, xzr
        mov     x30, xzr
        mov     x0, sp
        bl      cf_host_main
        udf     0

/* _Noreturn void cf_host_switch(void (*run)(void), uintptr_t stack_top) */
        .globl  cf_host_switch
        .type   cf_host_switch, %function
cf_host_switch:
        mov     sp, x1
        blr     x0
        udf     0

/* long cf_host_clone(long flags, uintptr_t stack_top, void (*run)(void)): the child begins on that stack. */
        .globl  cf_host_clone
        .type   cf_host_clone, %function
cf_host_clone:
        mov     x9, x2
        mov     x2, xzr
        mov     x3, xzr
        mov     x4, xzr
        mov     x8, 220                 /* clone */
        svc     0
        cbz     x0, 1f
        ret
1:      mov     x29, xzr
        blr     x9
        udf     0

/* void cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top): a program begins with no register of the runner's but
 * x16, its own address, and in the default modes whatever a run before left; what it leaves itself does not reach the runner. */
        .globl  cf_host_enter
        .type   cf_host_enter, %function
cf_host_enter:
        stp     x29, x30, [sp, -160]!
        stp     x19, x20, [sp, 16]
        stp     x21, x22, [sp, 32]
        stp     x23, x24, [sp, 48]
        stp     x25, x26, [sp, 64]
        stp     x27, x28, [sp, 80]
        stp     d8, d9, [sp, 96]
        stp     d10, d11, [sp, 112]
        stp     d12, d13, [sp, 128]
        stp     d14, d15, [sp, 144]
        mov     x9, sp
        adrp    x10, saved_sp
        str     x9, [x10, :lo12:saved_sp]
        mov     x16, x0
        mov     x0, x1
        mov     sp, x2
        msr     fpcr, xzr
        msr     fpsr, xzr
        msr     nzcv, xzr
        .irp    r, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
        mov     x\r, xzr
        .endr
        .irp    v, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        movi    v\v\().2d, 0
        .endr
        blr     x16
/* Signal handlers return here when they end a program, with nothing that counts in registers. */
        .globl  cf_host_landing
cf_host_landing:
        adrp    x10, saved_sp
        ldr     x9, [x10, :lo12:saved_sp]
        mov     sp, x9
        msr     fpcr, xzr
        ldp     x19, x20, [sp, 16]
        ldp     x21, x22, [sp, 32]
        ldp     x23, x24, [sp, 48]
        ldp     x25, x26, [sp, 64]
        ldp     x27, x28, [sp, 80]
        ldp     d8, d9, [sp, 96]
        ldp     d10, d11, [sp, 112]
        ldp     d12, d13, [sp, 128]
        ldp     d14, d15, [sp, 144]
        ldp     x29, x30, [sp], 160
        ret

        .globl  cf_host_signal
        .type   cf_host_signal, %function
cf_host_signal:
        b       cf_host_on_signal

        .globl  cf_host_restorer
        .type   cf_host_restorer, %function
cf_host_restorer:
        mov     x8, 139                 /* rt_sigreturn */
        svc     0
        udf     0

        .section .note.GNU-stack, "", %progbits
