/* Start of the process, stacks, and the way into programs and back. */
        .bss
        .balign 8
saved_sp:
        .skip   8
program:
        .skip   8

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

/* _Noreturn void cf_host_switch(void (*run)(void), uintptr_t stack_top) */
        .globl  cf_host_switch
        .type   cf_host_switch, @function
cf_host_switch:
        mov     %rsi, %rsp
        call    *%rdi
        ud2

/* long cf_host_clone(long flags, uintptr_t stack_top, void (*run)(void)): the child begins on that stack. */
        .globl  cf_host_clone
        .type   cf_host_clone, @function
cf_host_clone:
        mov     %rdx, %r9               /* the kernel takes five arguments, and keeps this register */
        xor     %edx, %edx
        xor     %r10d, %r10d
        xor     %r8d, %r8d
        mov     $56, %eax               /* clone */
        syscall
        test    %rax, %rax
        jz      1f
        ret
1:      xor     %ebp, %ebp
        call    *%r9
        ud2

/* void cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top): a program begins with no register of the runner's, and
 * in the default modes whatever a run before left; what it leaves itself does not reach the runner. */
        .globl  cf_host_enter
        .type   cf_host_enter, @function
cf_host_enter:
        push    %rbx
        push    %rbp
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, saved_sp(%rip)
        mov     %rdi, program(%rip)
        mov     %rsi, %rdi
        mov     %rdx, %rsp
        fninit
        ldmxcsr mxcsr_default(%rip)
        xor     %eax, %eax
        xor     %ebx, %ebx
        xor     %ecx, %ecx
        xor     %edx, %edx
        xor     %esi, %esi
        xor     %ebp, %ebp
        .irp    r, 8, 9, 10, 11, 12, 13, 14, 15
        xor     %r\r\()d, %r\r\()d
        .endr
        .irp    x, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        xorps   %xmm\x, %xmm\x
        .endr
        call    *program(%rip)
/* Signal handlers return here when they end a program, with segments that they set and nothing else that counts. */
        .globl  cf_host_landing
cf_host_landing:
        mov     saved_sp(%rip), %rsp
        push    $0x202                  /* a program may leave direction, alignment check or others set */
        popfq
        fninit
        ldmxcsr mxcsr_default(%rip)
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbp
        pop     %rbx
        ret

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
