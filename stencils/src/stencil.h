/* What every stencil source may use.
 *
 * The functions of this folder's .c files are the text of the stencils. The
 * builder includes all of them in one translation unit, after declaring the pinned
 * registers, and generates one function per sampled operand combination, e.g.
 *
 *     x3 = add_f32(x1, x2);
 *
 * between an asm statement that defines all float registers and one that uses them
 * and carries the end label. Rules that the builder checks: no constant from memory
 * (float literals other than 0), no call, no stack, no fused multiply-add. */
#ifndef CF_STENCIL_H
#define CF_STENCIL_H

#include <stdint.h>

#define TEXT static inline __attribute__((always_inline))

typedef float f32;
typedef int32_t i32;
typedef uint32_t u32;

/* Four lanes in a float register, or eight. */
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef u32 u32x4 __attribute__((vector_size(16)));
#if defined(__AVX2__)
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef i32 i32x8 __attribute__((vector_size(32)));
typedef u32 u32x8 __attribute__((vector_size(32)));
#endif

/* The base register points that many bytes behind the start of the data block, so that
 * the whole reach of a signed offset is of use. */
#if defined(__riscv)
#define BASE_BIAS 2048
#else
#define BASE_BIAS 0
#endif
typedef unsigned char *base_ptr;

#define SIGN_BIT 0x80000000u
#define MAGNITUDE 0x7fffffffu
#define INFINITY_BITS 0x7f800000u
#define ONE_BITS 0x3f800000u

/* Bits of the sticky flag word, the first of the data block. */
#define FLAG_DIVIDE 1u
#define FLAG_SHIFT 2u

TEXT u32 bits(f32 f) {
    u32 u;
    __builtin_memcpy(&u, &f, sizeof u);
    return u;
}

TEXT f32 from_bits(u32 u) {
    f32 f;
    __builtin_memcpy(&f, &u, sizeof f);
    return f;
}

/* cond ? a : b by a conditional move, or by masks where GCC would branch. cond is 0 or 1. */
#if defined(__riscv) || defined(__ARM_ARCH_6M__)
TEXT u32 pick(u32 cond, u32 a, u32 b) { return b ^ ((a ^ b) & (0u - cond)); }
TEXT f32 pick_f32(u32 cond, f32 a, f32 b) { return from_bits(pick(cond, bits(a), bits(b))); }
#else
#define pick(cond, a, b) ((cond) ? (a) : (b))
#define pick_f32(cond, a, b) ((cond) ? (a) : (b))
#endif

/* What the text of x86 names: the data base, an integer operand as an index, and scratch. GCC
 * may use rax, rcx and rdx in 64-bit code, but only eax and edx in 32-bit code. */
#if defined(__x86_64__)
#define X86
#define BASE "%%rbx"
#define INDEX "%q"
#define SCRATCH_XMM "xmm15"
#define SCRATCH2_XMM "xmm14"
#define SCRATCH_GPR "ecx"
#elif defined(__i386__)
#define X86
#define BASE "%%ebp"
#define INDEX "%k"
#define SCRATCH_XMM "xmm7"
#define SCRATCH2_XMM "xmm6"
#define SCRATCH_GPR "edx"
#endif

/* A comparison as 0 or 1. Not every register of 32-bit x86 has a byte to be set by itself:
 * all go through eax, so that the code is the same for all. */
#if defined(__i386__)
TEXT u32 truth(u32 c) {
    __asm__("" : "+a"(c));
    return c;
}
#else
#define truth(c) ((u32)(c))
#endif

/* Holes. The value of these symbols is never known: their relocations mark the
 * fields of the code that the immediate, the second immediate and the branch
 * distance go to. */
extern char cf_hole[], cf_hole2[], cf_target[];

/* A Thumb instruction in its long form, so that the length of the code does not
 * depend on registers. */
#if defined(__thumb__)
#define WIDE ".w"
#else
#define WIDE
#endif

/* The sum or difference of a register and a byte in the same one, for which low registers have a short instruction. */
#define SUM_NEAR(insn, d, a, n)                                     \
    do {                                                            \
        if (SAME(d, a))                                             \
            __asm__(insn "s %0, %1" : "+r"(d) : "i"(n) : "cc");     \
        else                                                        \
            __asm__(insn "w %0, %1, %2" : "=r"(d) : "r"(a), "i"(n)); \
    } while (0)

/* A float register of 32-bit Arm that is not allocated. With doubles it is one that the C
 * ABI preserves, which costs entry code: all others are allocated. */
#if defined(__ARM_FP)
#define SINGLE_ONLY ((__ARM_FP & 8) == 0)
#if SINGLE_ONLY
#define SCRATCH_FLOAT "s15"
#else
#define SCRATCH_FLOAT "s31"
#endif
#endif

#if defined(__ARM_ARCH_6M__)
/* A byte at a time, in r0 to r7; the label is not used. */
#define HOLE8(reg, hole) "movs " reg ", #:lower0_7:" hole
#define HOLE32(reg, hole, label)                                                                  \
    "movs " reg ", #:upper8_15:" hole "\n\tlsls " reg ", " reg ", #8\n\tadds " reg ", #:upper0_7:" hole   \
    "\n\tlsls " reg ", " reg ", #8\n\tadds " reg ", #:lower8_15:" hole "\n\tlsls " reg ", " reg ", #8\n\t" \
    "adds " reg ", #:lower0_7:" hole
#elif defined(__arm__) && __ARM_ARCH >= 7
/* Two halves; the label is not used. */
#define HOLE32(reg, hole, label) "movw " reg ", #:lower16:" hole "\n\tmovt " reg ", #:upper16:" hole
#elif defined(__arm__)
/* ARMv6 has no instruction for 16 bits: the word lies in the code, behind a branch
 * around it. The program counter is two instructions ahead. */
#define HOLE32(reg, hole, label) "ldr " reg ", [pc]\n\tb " label "f\n\t.word " hole "\n" label ":"
#endif

/* A 32-bit immediate in a register. */
TEXT u32 hole32(void) {
#if defined(X86)
    return (u32)(uintptr_t)cf_hole;
#elif defined(__aarch64__)
    u32 value;
    __asm__("movz %w0, #:abs_g1:cf_hole\n\tmovk %w0, #:abs_g0_nc:cf_hole" : "=r"(value));
    return value;
#elif defined(__riscv)
    /* xori extends the sign of its 12 bits: where that is set, lui's half is inverted
     * (arch/rv*.json), which is linear in the bits, as the carry of addi is not. */
    u32 value;
    __asm__("lui %0, %%hi(cf_hole)\n\txori %0, %0, %%lo(cf_hole)" : "=r"(value));
    return value;
#elif defined(__ARM_ARCH_6M__)
    u32 value;
    __asm__(HOLE32("%0", "cf_hole", "1") : "=l"(value) : : "cc");
    return value;
#elif defined(__arm__)
    u32 value;
    __asm__(HOLE32("%0", "cf_hole", "1") : "=r"(value));
    return value;
#else
#error "hole32: how does this architecture load a 32-bit constant?"
#endif
}

/* The attribute of kernels that work in the data block: the arguments are in registers. */
#if defined(__i386__)
#define REGISTER_CALL __attribute__((regparm(3)))
#else
#define REGISTER_CALL
#endif

/* Whether two operands are in one register, by the names that the builder gives them. */
#define SAME(x, y) (__builtin_strcmp(#x, #y) == 0)

/* A data word, which may be used as f32 and as u32. */
typedef f32 __attribute__((may_alias)) f32_word;
typedef u32 __attribute__((may_alias)) u32_word;

#endif
