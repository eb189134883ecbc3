/*
 * Start of the process, entry into programs and the way back.
 *
 * cf_host_active is not 0 exactly while cf_host_saved_sp is a stack pointer to which cf_host_recover can return; the signal handler
 * unwinds only then.
 */
        .bss
        .balign 8
        .globl  cf_host_saved_sp, cf_host_active
cf_host_saved_sp:
        .skip   8
cf_host_active:
        .skip   4

        .text
        .globl  _start
        .type   _start, %function
_start:
        mov     x29, xzr
        mov     x30, xzr
        mov     x0, sp
        bl      cf_host_main
        udf     0

/* int cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top): 0 after a return, 1 after a fault. */
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
        adrp    x10, cf_host_saved_sp
        str     x9, [x10, :lo12:cf_host_saved_sp]
        mov     w9, 1
        adrp    x10, cf_host_active
        str     w9, [x10, :lo12:cf_host_active]
        msr     fpcr, xzr               /* whatever a program before left */
        mov     sp, x2
        mov     x9, x0
        mov     x0, x1
        mov     x29, xzr
        blr     x9
        mov     w0, 0
leave:
        adrp    x10, cf_host_active
        str     wzr, [x10, :lo12:cf_host_active]
        adrp    x10, cf_host_saved_sp
        ldr     x9, [x10, :lo12:cf_host_saved_sp]
        mov     sp, x9
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

/* The signal handler resumes here after a fault, with registers as the program left them. */
        .globl  cf_host_recover
        .type   cf_host_recover, %function
cf_host_recover:
        msr     fpcr, xzr
        mov     w0, 1
        b       leave

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
