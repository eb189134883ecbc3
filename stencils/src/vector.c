/* Four float lanes in one register. Each op does to every lane exactly what the scalar op
 * does. Memory need only be aligned to words. */
#include "round.h"
#include "stencil.h"

TEXT f32x4 add_f32x4(f32x4 a, f32x4 b) { return a + b; }
TEXT f32x4 sub_f32x4(f32x4 a, f32x4 b) { return a - b; }
TEXT f32x4 mul_f32x4(f32x4 a, f32x4 b) { return a * b; }
TEXT f32x4 div_f32x4(f32x4 a, f32x4 b) { return a / b; }

#if defined(X86)

#define LD_F32X4(d, offset) __asm__("movups cf_hole(" BASE "), %0" : "=x"(d) : : "memory")
#define ST_F32X4(a, offset) __asm__ volatile("movups %0, cf_hole(" BASE ")" : : "x"(a) : "memory")
#define LDX_F32X4(d, index, offset) __asm__("movups cf_hole(" BASE ", " INDEX "1), %0" : "=x"(d) : "r"(index) : "memory")
#define STX_F32X4(a, index, offset) __asm__ volatile("movups %0, cf_hole(" BASE ", " INDEX "1)" : : "x"(a), "r"(index) : "memory")

/* Four copies of one word. */
#define SPLAT_F32X4(d, offset) __asm__("movss cf_hole(" BASE "), %0\n\tshufps $0, %0, %0" : "=x"(d) : : "memory")
#define SPLATX_F32X4(d, index, offset) \
    __asm__("movss cf_hole(" BASE ", " INDEX "1), %0\n\tshufps $0, %0, %0" : "=x"(d) : "r"(index) : "memory")

#define SCRATCH_F32X4(name) register f32x4 name __asm__(SCRATCH_XMM)

/* As the scalar forms in float.c, whose comments say why. */
TEXT f32x4 neg_f32x4(f32x4 a) {
    SCRATCH_F32X4(r);
    __asm__("pcmpeqd %0, %0\n\tpslld $31, %0\n\txorps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f32x4 abs_f32x4(f32x4 a) {
    SCRATCH_F32X4(r);
    __asm__("pcmpeqd %0, %0\n\tpsrld $1, %0\n\tandps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f32x4 min_f32x4(f32x4 a, f32x4 b) {
    SCRATCH_F32X4(s);
    __asm__("movaps %2, %1\n\tminps %0, %1\n\tminps %2, %0\n\torps %1, %0" : "+x"(a), "=&x"(s) : "x"(b));
    return a;
}

TEXT f32x4 max_f32x4(f32x4 a, f32x4 b) {
    SCRATCH_F32X4(s);
    __asm__("movaps %2, %1\n\tmaxps %0, %1\n\tmaxps %2, %0\n\t"
            "xorps %1, %0\n\torps %0, %1\n\tsubps %0, %1\n\tmovaps %1, %0"
            : "+x"(a), "=&x"(s)
            : "x"(b));
    return a;
}

TEXT f32x4 sqrt_f32x4(f32x4 a) {
    f32x4 r;
    __asm__("sqrtps %1, %0" : "=x"(r) : "x"(a));
    return r;
}

#if defined(__SSE4_1__)
#define ROUNDING_F32X4(name, mode)                                   \
    TEXT f32x4 name(f32x4 a) {                                       \
        f32x4 r;                                                     \
        __asm__("roundps " mode ", %1, %0" : "=x"(r) : "x"(a));    \
        return r;                                                    \
    }
ROUNDING_F32X4(floor_f32x4, ROUND_DOWN)
ROUNDING_F32X4(trunc_f32x4, ROUND_TO_ZERO)
ROUNDING_F32X4(ceil_f32x4, ROUND_UP)
ROUNDING_F32X4(round_f32x4, ROUND_TO_NEAREST)
#endif

#elif defined(__aarch64__)

/* ldur and stur take any offset below 256; ldr and str only multiples of 16. */
#define LD_F32X4(d, offset) __asm__("ldur %q0, [%1, %2]" : "=w"(d) : "r"(base), "i"(offset) : "memory")
#define ST_F32X4(a, offset) __asm__ volatile("stur %q0, [%1, %2]" : : "w"(a), "r"(base), "i"(offset) : "memory")
#define LDX_F32X4(d, index, offset) \
    __asm__("ldur %q0, [%1, %2]" : "=w"(d) : "r"(indexed(base, index)), "i"(offset) : "memory")
#define STX_F32X4(a, index, offset) \
    __asm__ volatile("stur %q0, [%1, %2]" : : "w"(a), "r"(indexed(base, index)), "i"(offset) : "memory")

#define LD_F32X4_FAR(d, offset) __asm__("ldr %q0, [%1, %w2, uxtw]" : "=w"(d) : "r"(base), "r"(offset) : "memory")
#define ST_F32X4_FAR(a, offset) \
    __asm__ volatile("str %q0, [%1, %w2, uxtw]" : : "w"(a), "r"(base), "r"(offset) : "memory")
#define LDX_F32X4_FAR(d, index, offset) \
    __asm__("ldr %q0, [%1, %w2, uxtw]" : "=w"(d) : "r"(indexed(base, index)), "r"(offset) : "memory")
#define STX_F32X4_FAR(a, index, offset) \
    __asm__ volatile("str %q0, [%1, %w2, uxtw]" : : "w"(a), "r"(indexed(base, index)), "r"(offset) : "memory")

/* Four copies of one word. */
#define SPLAT_AT(d, at, offset) \
    __asm__("ldr %s0, [%1, %2]\n\tdup %0.4s, %0.s[0]" : "=w"(d) : "r"(at), "i"(offset) : "memory")
#define SPLAT_AT_FAR(d, at, offset) \
    __asm__("ldr %s0, [%1, %w2, uxtw]\n\tdup %0.4s, %0.s[0]" : "=w"(d) : "r"(at), "r"(offset) : "memory")
#define SPLAT_F32X4(d, offset) SPLAT_AT(d, base, offset)
#define SPLAT_F32X4_FAR(d, offset) SPLAT_AT_FAR(d, base, offset)
#define SPLATX_F32X4(d, index, offset) SPLAT_AT(d, indexed(base, index), offset)
#define SPLATX_F32X4_FAR(d, index, offset) SPLAT_AT_FAR(d, indexed(base, index), offset)

TEXT f32x4 neg_f32x4(f32x4 a) { return -a; }

TEXT f32x4 abs_f32x4(f32x4 a) {
    f32x4 r;
    __asm__("fabs %0.4s, %1.4s" : "=w"(r) : "w"(a));
    return r;
}

TEXT f32x4 min_f32x4(f32x4 a, f32x4 b) {
    f32x4 r;
    __asm__("fmin %0.4s, %1.4s, %2.4s" : "=w"(r) : "w"(a), "w"(b));
    return r;
}

TEXT f32x4 max_f32x4(f32x4 a, f32x4 b) {
    f32x4 r;
    __asm__("fmax %0.4s, %1.4s, %2.4s" : "=w"(r) : "w"(a), "w"(b));
    return r;
}

TEXT f32x4 sqrt_f32x4(f32x4 a) {
    f32x4 r;
    __asm__("fsqrt %0.4s, %1.4s" : "=w"(r) : "w"(a));
    return r;
}

#else
#error "vector.c: how does this architecture work on four lanes?"
#endif
