/* Ops of the machine on AArch64. */
#ifndef CF_MACHINE_AARCH64_H
#define CF_MACHINE_AARCH64_H

#include "../stencil.h"

/* Base plus index. Hidden from GCC, which would otherwise choose the addressing mode by
 * the offset, and with it the length of the code. */
TEXT base_ptr indexed(base_ptr base, u32 index) {
    base_ptr p = base + index;
    __asm__("" : "+r"(p));
    return p;
}

#define IMM_SHORT(d) __asm__("movz %w0, #:abs_g0_nc:cf_hole" : "=r"(d))
#define IMM(d) __asm__("movz %w0, #:abs_g1:cf_hole\n\tmovk %w0, #:abs_g0_nc:cf_hole" : "=r"(d))
#define ADD_SMALL(d, a) __asm__("add %w0, %w1, #:lo12:cf_hole" : "=r"(d) : "r"(a))

/* Pointers have 64 bits: the operands are named as such, whatever their C type. */
#define POINTER(d, a) __asm__("add %x0, %1, %w2, uxtw" : "=r"(d) : "r"(base), "r"(a))
#define SCALED(d, a, n) __asm__("add %x0, %1, %w2, uxtw %3" : "=r"(d) : "r"(base), "r"(a), "i"(n))
#define LEA(d, n) __asm__("add %x0, %1, %2" : "=r"(d) : "r"(base), "i"(n))
#define LEA_MID(d) __asm__("movz %w0, #:abs_g0_nc:cf_hole\n\tadd %x0, %1, %w0, uxtw" : "=&r"(d) : "r"(base))
#define LEA_FAR(d) POINTER(d, hole32())
#define ADDP(d, a, n) __asm__("add %x0, %x1, %2" : "=r"(d) : "r"(a), "i"(n))
#define SUBP(d, a, n) __asm__("sub %x0, %x1, %2" : "=r"(d) : "r"(a), "i"(n))
#define ADDP_FAR(d, a) __asm__("add %x0, %x1, %w2, sxtw" : "=r"(d) : "r"(a), "r"(hole32()))
#define LDP_F32(d, p, offset) __asm__ volatile("ldr %s0, [%x1, %2]" : "=w"(d) : "r"(p), "i"(offset) : "memory")
#define STP_F32(a, p, offset) __asm__ volatile("str %s0, [%x1, %2]" : : "w"(a), "r"(p), "i"(offset) : "memory")
#define LDP_I32(d, p, offset) __asm__ volatile("ldr %w0, [%x1, %2]" : "=r"(d) : "r"(p), "i"(offset) : "memory")
#define STP_I32(a, p, offset) __asm__ volatile("str %w0, [%x1, %2]" : : "r"(a), "r"(p), "i"(offset) : "memory")
#define LDP_F32_FAR(d, p) __asm__ volatile("ldr %s0, [%x1, %w2, uxtw]" : "=w"(d) : "r"(p), "r"(hole32()) : "memory")
#define STP_F32_FAR(a, p) __asm__ volatile("str %s0, [%x1, %w2, uxtw]" : : "w"(a), "r"(p), "r"(hole32()) : "memory")
#define LDP_I32_FAR(d, p) __asm__ volatile("ldr %w0, [%x1, %w2, uxtw]" : "=r"(d) : "r"(p), "r"(hole32()) : "memory")
#define STP_I32_FAR(a, p) __asm__ volatile("str %w0, [%x1, %w2, uxtw]" : : "r"(a), "r"(p), "r"(hole32()) : "memory")

/* Two words at once, of any two registers. */
#define LD2_I32(a, b, offset) __asm__ volatile("ldp %w0, %w1, [%2, %3]" : "=r"(a), "=r"(b) : "r"(base), "i"(offset) : "memory")
#define ST2_I32(a, b, offset) __asm__ volatile("stp %w0, %w1, [%2, %3]" : : "r"(a), "r"(b), "r"(base), "i"(offset) : "memory")
#define LD2_F32(a, b, offset) __asm__ volatile("ldp %s0, %s1, [%2, %3]" : "=w"(a), "=w"(b) : "r"(base), "i"(offset) : "memory")
#define ST2_F32(a, b, offset) __asm__ volatile("stp %s0, %s1, [%2, %3]" : : "w"(a), "w"(b), "r"(base), "i"(offset) : "memory")
#define LDP2_I32(a, b, p, offset) __asm__ volatile("ldp %w0, %w1, [%x2, %3]" : "=r"(a), "=r"(b) : "r"(p), "i"(offset) : "memory")
#define STP2_I32(a, b, p, offset) __asm__ volatile("stp %w0, %w1, [%x2, %3]" : : "r"(a), "r"(b), "r"(p), "i"(offset) : "memory")
#define LDP2_F32(a, b, p, offset) __asm__ volatile("ldp %s0, %s1, [%x2, %3]" : "=w"(a), "=w"(b) : "r"(p), "i"(offset) : "memory")
#define STP2_F32(a, b, p, offset) __asm__ volatile("stp %s0, %s1, [%x2, %3]" : : "w"(a), "w"(b), "r"(p), "i"(offset) : "memory")

/* Four lanes. The field of a shift to the right counts backwards, so that the number does. */
#define SHLI_X4(d, a, n) __asm__("shl %0.4s, %1.4s, %2" : "=w"(d) : "w"(a), "i"(n))
#define SHRBACK_X4(d, a, n) __asm__("sshr %0.4s, %1.4s, %2" : "=w"(d) : "w"(a), "i"(32 - (n)))
#define ADD_SHRBACK_X4(d, a, b, n)                                                                                   \
    do {                                                                                                             \
        if (SAME(d, a))                                                                                              \
            __asm__("ssra %0.4s, %1.4s, %2" : "+w"(d) : "w"(b), "i"(32 - (n)));                                      \
        else if (SAME(d, b))                                                                                         \
            __asm__("sshr %0.4s, %0.4s, %2\n\tadd %0.4s, %0.4s, %1.4s" : "+w"(d) : "w"(a), "i"(32 - (n)));           \
        else                                                                                                         \
            __asm__("sshr %0.4s, %2.4s, %3\n\tadd %0.4s, %0.4s, %1.4s" : "=&w"(d) : "w"(a), "w"(b), "i"(32 - (n))); \
    } while (0)
#define ABSDIFF_F32(d, a, b) __asm__("fabd %s0, %s1, %s2" : "=w"(d) : "w"(a), "w"(b))
#define ABSDIFF_F32X4(d, a, b) __asm__("fabd %0.4s, %1.4s, %2.4s" : "=w"(d) : "w"(a), "w"(b))

#define COUNT(d) __asm__ volatile("subs %w0, %w0, #1\n\tb.ne cf_target" : "+r"(d) : : "cc")
#define COUNT_FAR(d) COUNT(d)

#define LOOP(d)                                                                                   \
    do {                                                                                          \
        u32 limit;                                                                                \
        __asm__ volatile("add %w0, %w0, #:lo12:cf_hole\n\t"                                     \
                         "movz %w1, #:abs_g1:cf_hole2\n\tmovk %w1, #:abs_g0_nc:cf_hole2\n\t"  \
                         "cmp %w0, %w1\n\tb.ne cf_target"                                       \
                         : "+r"(d), "=&r"(limit));                                                \
    } while (0)

TEXT void call(void) { __asm__ volatile("bl cf_target"); }
TEXT void call_i32(void) { __asm__ volatile("mov w0, w20\n\tmov w1, w21\n\tmov x2, x19\n\tbl cf_target"); }

/* The frames: 16 bytes of base and lr, 64 of x20-x27, 64 of d8-d15. */
TEXT void enter(void) { __asm__ volatile("stp x19, x30, [sp, #-16]!\n\tmov x19, x0"); }
TEXT void leave(void) { __asm__ volatile("ldp x19, x30, [sp], #16\n\tret"); }

TEXT void save_ints(void) {
    __asm__ volatile("stp x20, x21, [sp, #-64]!\n\tstp x22, x23, [sp, #16]\n\tstp x24, x25, [sp, #32]\n\t"
                     "stp x26, x27, [sp, #48]");
}

TEXT void restore_ints(void) {
    __asm__ volatile("ldp x26, x27, [sp, #48]\n\tldp x24, x25, [sp, #32]\n\tldp x22, x23, [sp, #16]\n\t"
                     "ldp x20, x21, [sp], #64");
}

TEXT void save_floats(void) {
    __asm__ volatile("stp d8, d9, [sp, #-64]!\n\tstp d10, d11, [sp, #16]\n\tstp d12, d13, [sp, #32]\n\tstp d14, d15, [sp, #48]");
}

TEXT void restore_floats(void) {
    __asm__ volatile("ldp d14, d15, [sp, #48]\n\tldp d12, d13, [sp, #32]\n\tldp d10, d11, [sp, #16]\n\tldp d8, d9, [sp], #64");
}

#endif
