/*
 * Start of the process, entry into programs and the way back.
 *
 * cf_host_active is not 0 exactly while cf_host_saved_sp is a stack pointer to which cf_host_recover can return; the signal handler
 * unwinds only then.
 */
        .bss
        .balign 4
        .globl  cf_host_saved_sp, cf_host_active
cf_host_saved_sp:
        .skip   4
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
        mov     %esp, %eax
        and     $-16, %esp
        sub     $12, %esp
        push    %eax
        call    cf_host_main
        ud2

/* int cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top): 0 after a return, 1 after a fault. */
        .globl  cf_host_enter
        .type   cf_host_enter, @function
cf_host_enter:
        push    %ebp
        push    %ebx
        push    %esi
        push    %edi
        mov     20(%esp), %eax
        mov     24(%esp), %ecx
        mov     28(%esp), %edx
        ldmxcsr mxcsr_default           /* whatever a program before left */
        mov     %esp, cf_host_saved_sp
        movl    $1, cf_host_active
        lea     -12(%edx), %esp         /* aligned to 16 bytes once the argument is there */
        push    %ecx
        call    *%eax
        pushl   $0x202                  /* a program may leave direction, alignment check or others set */
        popfl
        xor     %eax, %eax
leave:
        movl    $0, cf_host_active
        mov     cf_host_saved_sp, %esp
        pop     %edi
        pop     %esi
        pop     %ebx
        pop     %ebp
        ret

/* The signal handler resumes here after a fault, with registers as the program left them, but for segments. */
        .globl  cf_host_recover
        .type   cf_host_recover, @function
cf_host_recover:
        fninit
        ldmxcsr mxcsr_default
        mov     $1, %eax
        jmp     leave

/* The kernel enters handlers with a program's alignment check flag as it was. */
        .globl  cf_host_signal
        .type   cf_host_signal, @function
cf_host_signal:
        pushfl
        andl    $~0x40000, (%esp)
        popfl
        jmp     cf_host_on_signal

        .globl  cf_host_restorer
        .type   cf_host_restorer, @function
cf_host_restorer:
        mov     $173, %eax              /* rt_sigreturn */
        int     $0x80
        ud2

        .section .note.GNU-stack, "", @progbits
