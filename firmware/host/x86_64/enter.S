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

        .section .rodata
        .balign 4
mxcsr_default:
        .long   0x1f80

        .text
        .globl  _start
        .type   _start, @function
_start:
        xor     %ebp, %ebp
        mov     %rsp, %rdi
        and     $-16, %rsp
        call    cf_host_main
        ud2

/* int cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top): 0 after a return, 1 after a fault. */
        .globl  cf_host_enter
        .type   cf_host_enter, @function
cf_host_enter:
        push    %rbx
        push    %rbp
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, cf_host_saved_sp(%rip)
        movl    $1, cf_host_active(%rip)
        ldmxcsr mxcsr_default(%rip)     /* whatever a program before left */
        mov     %rdx, %rsp
        mov     %rdi, %rax
        mov     %rsi, %rdi
        call    *%rax
        pushq   $0x202                  /* a program may leave direction, alignment check or others set */
        popfq
        xor     %eax, %eax
leave:
        movl    $0, cf_host_active(%rip)
        mov     cf_host_saved_sp(%rip), %rsp
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbp
        pop     %rbx
        ret

/* The signal handler resumes here after a fault, with registers as the program left them. */
        .globl  cf_host_recover
        .type   cf_host_recover, @function
cf_host_recover:
        fninit
        ldmxcsr mxcsr_default(%rip)
        mov     $1, %eax
        jmp     leave

/* The kernel enters handlers with a program's alignment check flag as it was. */
        .globl  cf_host_signal
        .type   cf_host_signal, @function
cf_host_signal:
        pushfq
        andl    $~0x40000, (%rsp)
        popfq
        jmp     cf_host_on_signal

        .globl  cf_host_restorer
        .type   cf_host_restorer, @function
cf_host_restorer:
        mov     $15, %eax               /* rt_sigreturn */
        syscall
        ud2

        .section .note.GNU-stack, "", @progbits
