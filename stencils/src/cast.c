/* Conversions. Each is a stencil of its own: GCC folds a cast and the cast back
 * into a rounding with other results for large numbers. */
//@ to_f32 i32 bool F=I // softfloat i32-to-f32: SERVICE1(D, A, OFF)
//@ to_i32 f32 I=F: TO_I32(D, A) // softfloat f32-to-i32: SERVICE1(D, A, OFF)
//@ to_i32 bool I=I: MOV_I32(D, A)
//@ floortoi f32 I=F needs roundedcasts: TO_I32_DOWN(D, A)
//@ ceiltoi f32 I=F needs roundedcasts: TO_I32_UP(D, A)
//@ roundtoi f32 I=F needs roundedcasts: TO_I32_NEAREST(D, A)
//@ to_bool f32 I=F // softfloat: D = soft_to_bool(A)
//@ to_bool i32 I=I // softfloat: D = A != 0
//@ fromint f32 F=F needs casts: __asm__("vcvt.f32.s32 %0, %1" : "=t"(D) : "t"(A))
//@ toint f32 F=F needs casts: __asm__("vcvt.s32.f32 %0, %1" : "=t"(D) : "t"(A))
#include "round.h"
#include "stencil.h"

TEXT f32 to_f32_i32(u32 a) { return (f32)(i32)a; }

/* The double in %1 to %0 on 32-bit x86, by way of %2 and eax. The least of it and the
 * largest integer is converted, which gives MIN for what is below, and cleared for a NaN. */
#define TO_I32_OF_1                                                         \
    "movl $0x7fffffff, %%eax\n\tcvtsi2sd %%eax, %2\n\tminsd %1, %2\n\t"     \
    "cvttsd2si %2, %0\n\tcmpordsd %1, %1\n\tmovd %1, %%eax\n\tandl %%eax, %0"

/* Toward zero, saturating, NaN gives 0. */
#if defined(__aarch64__)
#define TO_I32(d, a) __asm__("fcvtzs %w0, %s1" : "=r"(d) : "w"(a)) /* does just that */
#elif defined(__riscv_flen)
/* Saturates likewise; NaN is to be made 0. */
#define TO_I32(d, a) d = (u32)to_integer(a, "rtz") & (0u - (u32)(a == a))
#elif defined(__arm__)
#define TO_I32(d, a) /* as well */                                                          \
    do {                                                                                   \
        register f32 r __asm__(SCRATCH_FLOAT);                                                     \
        __asm__("vcvt.s32.f32 %1, %2\n\tvmov %0, %1" : "=r"(d), "=&t"(r) : "t"(a));         \
    } while (0)
#elif defined(__i386__)
#define TO_I32(d, a) /* as a double, which is exact */                                     \
    do {                                                                                   \
        register f32 wide __asm__("xmm6"), least __asm__("xmm7");                          \
        __asm__("cvtss2sd %3, %1\n\t" TO_I32_OF_1                                          \
                : "=&r"(d), "=&x"(wide), "=&x"(least) : "x"(a) : "eax", "cc");             \
    } while (0)
#else
#define TO_I32(d, a) d = to_i32_f32(a)
TEXT u32 to_i32_f32(f32 a) {
    u32 u = bits(a), r = (u32)cut(a);
    /* cut gives MIN for everything out of range; mend what is not below */
    r = (i32)u >= 0x4f000000 ? MAGNITUDE : r; /* 2^31 and more */
    return (u & MAGNITUDE) > INFINITY_BITS ? 0u : r;
}
#endif

/* The same of the floor, the ceiling, and the nearest integer, ties to the even one. */
#if defined(__aarch64__)
#define TO_I32_DOWN(d, a) __asm__("fcvtms %w0, %s1" : "=r"(d) : "w"(a))
#define TO_I32_UP(d, a) __asm__("fcvtps %w0, %s1" : "=r"(d) : "w"(a))
#define TO_I32_NEAREST(d, a) __asm__("fcvtns %w0, %s1" : "=r"(d) : "w"(a))
#elif defined(__riscv_flen)
#define TO_I32_DOWN(d, a) d = (u32)to_integer(a, "rdn") & (0u - (u32)(a == a))
#define TO_I32_UP(d, a) d = (u32)to_integer(a, "rup") & (0u - (u32)(a == a))
#define TO_I32_NEAREST(d, a) d = (u32)to_integer(a, "rne") & (0u - (u32)(a == a))
#elif defined(__arm__)
#define BY_WAY_OF_FLOAT(convert, d, a)                                                  \
    do {                                                                                \
        register f32 r __asm__(SCRATCH_FLOAT);                                          \
        __asm__(convert " %1, %2\n\tvmov %0, %1" : "=r"(d), "=&t"(r) : "t"(a));         \
    } while (0)
#if (__ARM_FP & 8) != 0 && __ARM_ARCH_PROFILE == 'M' /* FPv5, which rounds either way */
#define TO_I32_DOWN(d, a) BY_WAY_OF_FLOAT("vcvtm.s32.f32", d, a)
#define TO_I32_UP(d, a) BY_WAY_OF_FLOAT("vcvtp.s32.f32", d, a)
#define TO_I32_NEAREST(d, a) BY_WAY_OF_FLOAT("vcvtn.s32.f32", d, a)
#else
/* Toward zero, and one further where that is on the other side of a, of which bit 31 of the flags tells: saturating, as any
 * such a may be less than -2^31 or more than 2^31. */
#define CORRECTED(x, y, correct, d, a)                                                                                \
    do {                                                                                                          \
        register f32 r __asm__(SCRATCH_FLOAT);                                                                    \
        __asm__("vcvt.s32.f32 %1, %2\n\tvmov %0, %1\n\tvcvt.f32.s32 %1, %1\n\tvcmp.f32 " x ", " y "\n\t"          \
                "vmrs r3, fpscr\n\t" correct                                                                              \
                : "=&r"(d), "=&t"(r) : "t"(a) : "r3", "cc");                                                      \
    } while (0)
#if defined(__thumb__) /* not every core has the saturating instructions */
#define LESS_R3 "subs.w %0, %0, r3, lsr #31\n\tit vs\n\tmovvs.w %0, #0x80000000"
#define MORE_R3 "adds.w %0, %0, r3, lsr #31\n\tit vs\n\tmvnvs.w %0, #0x80000000"
#else
#define LESS_R3 "lsr r3, r3, #31\n\tqsub %0, %0, r3"
#define MORE_R3 "lsr r3, r3, #31\n\tqadd %0, %0, r3"
#endif
#define TO_I32_DOWN(d, a) CORRECTED("%2", "%1", LESS_R3, d, a)
#define TO_I32_UP(d, a) CORRECTED("%1", "%2", MORE_R3, d, a)
#define TO_I32_NEAREST(d, a) BY_WAY_OF_FLOAT("vcvtr.s32.f32", d, a) /* by the mode, which is to nearest */
#endif
#endif

/* x != 0, true for NaN: any bit beside the sign. */
TEXT u32 to_bool_f32(f32 a) { return truth((bits(a) & MAGNITUDE) != 0); }
TEXT u32 to_bool_i32(u32 a) { return truth(a != 0); }
