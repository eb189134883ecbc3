/* Ops of the machine on x86, 64-bit and 32-bit. */
#ifndef CF_MACHINE_X86_H
#define CF_MACHINE_X86_H

#include "../stencil.h"

/* In 64-bit code every stencil that writes an integer register clears its upper half (the
 * self-test checks it), so that it may be used as an index as it is. */
#define LDX_F32(d, index, offset) __asm__("movss cf_hole(" BASE ", " INDEX "1), %0" : "=x"(d) : "r"(index) : "memory")
#define LDX_I32(d, index, offset) __asm__("movl cf_hole(" BASE ", " INDEX "1), %0" : "=r"(d) : "r"(index) : "memory")
#define STX_F32(a, index, offset) __asm__ volatile("movss %0, cf_hole(" BASE ", " INDEX "1)" : : "x"(a), "r"(index) : "memory")
#define STX_I32(a, index, offset) __asm__ volatile("movl %0, cf_hole(" BASE ", " INDEX "1)" : : "r"(a), "r"(index) : "memory")

#define IMM_SHORT(d) IMM(d)
#define IMM(d) __asm__("movl $cf_hole, %0" : "=r"(d))
#define ADD_SMALL(d, a) __asm__("addl $cf_hole, %0" : "+r"(d)) /* tied: d is a */

/* In 64-bit code a prefix gives every register the same length, so that FixBranch need not
 * know which. */
#if defined(__x86_64__)
#define SAME_LENGTH "{rex} "
#else
#define SAME_LENGTH
#endif
#define LOOP(d)                                                                                     \
    __asm__ volatile(SAME_LENGTH "addl $cf_hole, %0\n\t" SAME_LENGTH "cmpl $cf_hole2, %0\n\t" \
                     "jne cf_target"                                                                \
                     : "+r"(d))

TEXT void call(void) { __asm__ volatile("call cf_target"); }

#if defined(__x86_64__)
TEXT void call_i32(void) {
    __asm__ volatile("mov %esi, %eax\n\tmov %edi, %esi\n\tmov %eax, %edi\n\tmov %rbx, %rdx\n\tcall cf_target");
}
#else /* registers as by regparm(3) */
TEXT void call_i32(void) { __asm__ volatile("mov %ecx, %eax\n\tmov %ebx, %edx\n\tmov %ebp, %ecx\n\tcall cf_target"); }
#endif

#if defined(__x86_64__)

/* With the integer registers the frame is return address, rbx, r12 to r15 and 8 bytes: with
 * and without them calls find the stack aligned. Nobody preserves float registers. */
TEXT void enter(void) { __asm__ volatile("push %rbx\n\tmov %rdi, %rbx"); }
TEXT void leave(void) { __asm__ volatile("pop %rbx\n\tret"); }
TEXT void save_ints(void) { __asm__ volatile("push %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15"); }
TEXT void restore_ints(void) { __asm__ volatile("pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12"); }
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}

#else

/* The argument is on the stack. The frames, 16 bytes each: return address and ebp; ebx, esi
 * and edi. So calls find the stack aligned. */
TEXT void enter(void) { __asm__ volatile("push %ebp\n\tsub $8, %esp\n\tmov 16(%esp), %ebp"); }
TEXT void leave(void) { __asm__ volatile("add $8, %esp\n\tpop %ebp\n\tret"); }
TEXT void save_ints(void) { __asm__ volatile("push %ebx\n\tpush %esi\n\tpush %edi\n\tsub $4, %esp"); }
TEXT void restore_ints(void) { __asm__ volatile("add $4, %esp\n\tpop %edi\n\tpop %esi\n\tpop %ebx"); }
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}

#endif

#endif
