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
typedef f32 f32x4 __attribute__((vector_size(16))); /* four lanes in a float register */
typedef unsigned char *base_ptr; /* start of the data block */

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

/* Holes. The value of these symbols is never known: their relocations mark the
 * fields of the code that the immediate, the second immediate and the branch
 * distance go to. */
extern char cf_hole[], cf_hole2[], cf_target[];

/* A 32-bit immediate in a register. */
TEXT u32 hole32(void) {
#if defined(__x86_64__)
    return (u32)(uintptr_t)cf_hole;
#elif defined(__aarch64__)
    u32 value;
    __asm__("movz %w0, #:abs_g1:cf_hole\n\tmovk %w0, #:abs_g0_nc:cf_hole" : "=r"(value));
    return value;
#else
#error "hole32: how does this architecture load a 32-bit constant?"
#endif
}

/* A data word, which may be used as f32 and as u32. */
typedef f32 __attribute__((may_alias)) f32_word;
typedef u32 __attribute__((may_alias)) u32_word;

#endif
