/* Ops of the machine rather than of the graph: moves, memory, constants, control. */
#include "stencil.h"

TEXT f32 mov_f32(f32 a) { return a; }
TEXT u32 mov_i32(u32 a) { return a; }

TEXT f32 ld_f32(base_ptr base, uintptr_t offset) { return *(const f32_word *)(base + offset); }
TEXT u32 ld_i32(base_ptr base, uintptr_t offset) { return *(const u32_word *)(base + offset); }
TEXT void st_f32(base_ptr base, uintptr_t offset, f32 a) { *(f32_word *)(base + offset) = a; }
TEXT void st_i32(base_ptr base, uintptr_t offset, u32 a) { *(u32_word *)(base + offset) = a; }

/* The macros below write to the pinned register itself, not to a copy: that saves a move,
 * and a loop must have nothing left to do after its branch. */
#if defined(__x86_64__)

/* Every stencil that writes an integer register clears its upper half (the self-test
 * checks it), so that it may be used as an index as it is. */
#define LDX_F32(d, index, offset) __asm__("movss cf_hole(%%rbx, %q1), %0" : "=x"(d) : "r"(index) : "memory")
#define LDX_I32(d, index, offset) __asm__("movl cf_hole(%%rbx, %q1), %0" : "=r"(d) : "r"(index) : "memory")
#define STX_F32(a, index, offset) __asm__ volatile("movss %0, cf_hole(%%rbx, %q1)" : : "x"(a), "r"(index) : "memory")
#define STX_I32(a, index, offset) __asm__ volatile("movl %0, cf_hole(%%rbx, %q1)" : : "r"(a), "r"(index) : "memory")

#define IMM_SHORT(d) IMM(d)
#define IMM(d) __asm__("movl $cf_hole, %0" : "=r"(d))
#define ADD_SMALL(d, a) __asm__("addl $cf_hole, %0" : "+r"(d)) /* tied: d is a */

/* {rex} gives every register the same length, so that FixBranch need not know which. */
#define LOOP(d)                                                                    \
    __asm__ volatile("{rex} addl $cf_hole, %0\n\t{rex} cmpl $cf_hole2, %0\n\t" \
                     "jne cf_target"                                               \
                     : "+r"(d))

TEXT void call(void) { __asm__ volatile("call cf_target"); }

/* void entry(void *data). The frame: return address, six saved registers, MXCSR of
 * the caller and ours in 8 bytes: 64 in all, so calls find the stack aligned. */
TEXT void enter(void) {
    __asm__ volatile("push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\t"
                     "sub $8, %rsp\n\t"
                     "stmxcsr (%rsp)\n\t"
                     "movl $0x1f80, 4(%rsp)\n\t" /* all exceptions masked, to nearest, no flush to zero */
                     "ldmxcsr 4(%rsp)\n\t"
                     "mov %rdi, %rbx");
}

TEXT void leave(void) {
    __asm__ volatile("ldmxcsr (%rsp)\n\t"
                     "add $8, %rsp\n\t"
                     "pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n\t"
                     "ret");
}

#elif defined(__aarch64__)

/* Base plus index. Hidden from GCC, which would otherwise choose the addressing mode by
 * the offset, and with it the length of the code. */
TEXT base_ptr indexed(base_ptr base, u32 index) {
    base_ptr p = base + index;
    __asm__("" : "+r"(p));
    return p;
}

#define LDX_F32(d, index, offset) d = ld_f32(indexed(base, index), offset)
#define LDX_I32(d, index, offset) d = ld_i32(indexed(base, index), offset)
#define STX_F32(a, index, offset) st_f32(indexed(base, index), offset, a)
#define STX_I32(a, index, offset) st_i32(indexed(base, index), offset, a)

#define IMM_SHORT(d) __asm__("movz %w0, #:abs_g0_nc:cf_hole" : "=r"(d))
#define IMM(d) __asm__("movz %w0, #:abs_g1:cf_hole\n\tmovk %w0, #:abs_g0_nc:cf_hole" : "=r"(d))
#define ADD_SMALL(d, a) __asm__("add %w0, %w1, #:lo12:cf_hole" : "=r"(d) : "r"(a))

#define LOOP(d)                                                                                   \
    do {                                                                                          \
        u32 limit;                                                                                \
        __asm__ volatile("add %w0, %w0, #:lo12:cf_hole\n\t"                                     \
                         "movz %w1, #:abs_g1:cf_hole2\n\tmovk %w1, #:abs_g0_nc:cf_hole2\n\t"  \
                         "cmp %w0, %w1\n\tb.ne cf_target"                                       \
                         : "+r"(d), "=&r"(limit));                                                \
    } while (0)

TEXT void call(void) { __asm__ volatile("bl cf_target"); }

/* void entry(void *data). The frame, 176 bytes: fp lr, x19-x28, d8-d15, FPCR of the caller. */
TEXT void enter(void) {
    __asm__ volatile("stp x29, x30, [sp, #-176]!\n\t"
                     "stp x19, x20, [sp, #16]\n\tstp x21, x22, [sp, #32]\n\tstp x23, x24, [sp, #48]\n\t"
                     "stp x25, x26, [sp, #64]\n\tstp x27, x28, [sp, #80]\n\t"
                     "stp d8, d9, [sp, #96]\n\tstp d10, d11, [sp, #112]\n\tstp d12, d13, [sp, #128]\n\tstp d14, d15, [sp, #144]\n\t"
                     "mrs x9, fpcr\n\tstr x9, [sp, #160]\n\t"
                     "msr fpcr, xzr\n\t" /* to nearest, no flush to zero, NaN payloads as they come */
                     "mov x19, x0");
}

TEXT void leave(void) {
    __asm__ volatile("ldr x9, [sp, #160]\n\tmsr fpcr, x9\n\t"
                     "ldp d14, d15, [sp, #144]\n\tldp d12, d13, [sp, #128]\n\tldp d10, d11, [sp, #112]\n\tldp d8, d9, [sp, #96]\n\t"
                     "ldp x27, x28, [sp, #80]\n\tldp x25, x26, [sp, #64]\n\t"
                     "ldp x23, x24, [sp, #48]\n\tldp x21, x22, [sp, #32]\n\tldp x19, x20, [sp, #16]\n\t"
                     "ldp x29, x30, [sp], #176\n\t"
                     "ret");
}

#else
#error "machine.c: no immediates, loop, call, enter, leave for this architecture"
#endif
