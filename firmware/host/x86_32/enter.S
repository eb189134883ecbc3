/* Start of the process, stacks, and the way into programs and back. */
        .bss
        .balign 4
saved_sp:
        .skip   4
program:
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

/* _Noreturn void cf_host_switch(void (*run)(void), uintptr_t stack_top) */
        .globl  cf_host_switch
        .type   cf_host_switch, @function
cf_host_switch:
        mov     4(%esp), %eax
        mov     8(%esp), %esp
        call    *%eax
        ud2

/* long cf_host_clone(long flags, uintptr_t stack_top, void (*run)(void)): the child begins on that stack. */
        .globl  cf_host_clone
        .type   cf_host_clone, @function
cf_host_clone:
        push    %ebx
        push    %esi
        push    %edi
        push    %ebp
        mov     20(%esp), %ebx
        mov     24(%esp), %ecx
        mov     28(%esp), %ebp          /* the kernel takes five arguments, and keeps this register */
        xor     %edx, %edx
        xor     %esi, %esi
        xor     %edi, %edi
        mov     $120, %eax              /* clone */
        int     $0x80
        test    %eax, %eax
        jz      1f
        pop     %ebp
        pop     %edi
        pop     %esi
        pop     %ebx
        ret
1:      call    *%ebp
        ud2

/* void cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top): a program begins with no register of the runner's, and
 * in the default modes whatever a run before left; what it leaves itself does not reach the runner. */
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
        mov     %esp, saved_sp
        mov     %eax, program
        lea     -12(%edx), %esp         /* aligned to 16 bytes once the argument is there */
        push    %ecx
        fninit
        ldmxcsr mxcsr_default
        xor     %eax, %eax
        xor     %ebx, %ebx
        xor     %ecx, %ecx
        xor     %edx, %edx
        xor     %esi, %esi
        xor     %edi, %edi
        xor     %ebp, %ebp
        .irp    x, 0, 1, 2, 3, 4, 5, 6, 7
        xorps   %xmm\x, %xmm\x
        .endr
        call    *program
/* Signal handlers return here when they end a program, with segments that they set and nothing else that counts. */
        .globl  cf_host_landing
cf_host_landing:
        mov     %ss, %eax               /* flat, or no stack would work; the others may be lost */
        mov     %eax, %ds
        mov     %eax, %es
        mov     saved_sp, %esp
        push    $0x202                  /* a program may leave direction, alignment check or others set */
        popfl
        fninit
        ldmxcsr mxcsr_default
        pop     %edi
        pop     %esi
        pop     %ebx
        pop     %ebp
        ret

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
