/* floor, ceil, trunc and round from conversions, for cores without a rounding instruction. */
#ifndef CF_ROUND_H
#define CF_ROUND_H

#include "stencil.h"

/* Immediates of the rounding instructions of SSE4.1. */
#define ROUND_TO_NEAREST "$8"
#define ROUND_DOWN "$9"
#define ROUND_UP "$10"
#define ROUND_TO_ZERO "$11"

#if defined(__SOFTFP__) || defined(__riscv) && !defined(__riscv_flen)

#include "kernels/exact/soft.h"

TEXT f32 round_floor(f32 a) { return from_bits(soft_toward(bits(a), SIGN_BIT)); }

#else

#define NO_FRACTION 0x4b000000u /* 2^23: from here on every float is an integer, infinite or NaN */

#if defined(__riscv_flen)
/* The conversion with a rounding mode of its own. */
#define to_integer(a, mode)                                            \
    ({                                                                 \
        i32 to;                                                        \
        __asm__("fcvt.w.s %0, %1, " mode : "=r"(to) : "f"(a));        \
        to;                                                            \
    })
#endif

/* Truncates |a| < 2^31; any other input gives some integer, which callers discard.
 * An asm statement, so that GCC neither uses the undefined overflow of the C cast
 * nor folds it with the conversion back. */
TEXT i32 cut(f32 a) {
    i32 i;
#if defined(X86)
    __asm__("cvttss2si %1, %0" : "=r"(i) : "x"(a));
#elif defined(__aarch64__)
    __asm__("fcvtzs %w0, %s1" : "=r"(i) : "w"(a));
#elif defined(__riscv_flen)
    i = to_integer(a, "rtz");
#elif defined(__arm__)
    register f32 r __asm__(SCRATCH_FLOAT);
    __asm__("vcvt.s32.f32 %1, %2\n\tvmov %0, %1" : "=r"(i), "=&t"(r) : "t"(a));
#else
#error "cut: how does this architecture convert f32 to i32?"
#endif
    return i;
}

/* Rounds |a| < 2^31 to the nearest integer, ties to the even one; else as cut. */
TEXT i32 nearest(f32 a) {
    i32 i;
#if defined(X86)
    __asm__("cvtss2si %1, %0" : "=r"(i) : "x"(a));
#elif defined(__aarch64__)
    __asm__("fcvtns %w0, %s1" : "=r"(i) : "w"(a));
#elif defined(__riscv_flen)
    i = to_integer(a, "rne");
#elif defined(__arm__)
    register f32 r __asm__(SCRATCH_FLOAT);
    __asm__("vcvtr.s32.f32 %1, %2\n\tvmov %0, %1" : "=r"(i), "=&t"(r) : "t"(a)); /* by the mode, which is to nearest */
#else
#error "nearest: how does this architecture round f32 to i32?"
#endif
    return i;
}

/* The integer as a float with the sign of a, which a zero needs; a itself where it
 * has no fraction. */
TEXT f32 rounded_like(i32 i, f32 a) {
    u32 u = bits(a);
    u32 r = bits((f32)i) | (u & SIGN_BIT);
    return from_bits(pick((u & MAGNITUDE) >= NO_FRACTION, u, r));
}

TEXT f32 round_trunc(f32 a) { return rounded_like(cut(a), a); }

TEXT f32 round_floor(f32 a) {
    i32 i = cut(a);
    u32 above = (f32)i > a;
    return rounded_like((i32)((u32)i - above), a);
}

TEXT f32 round_ceil(f32 a) {
    i32 i = cut(a);
    u32 below = (f32)i < a;
    return rounded_like((i32)((u32)i + below), a);
}

TEXT f32 round_nearest(f32 a) { return rounded_like(nearest(a), a); }

#endif

#endif
