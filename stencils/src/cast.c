/* Conversions. Each is a stencil of its own: GCC folds a cast and the cast back
 * into a rounding with other results for large numbers. */
//@ to_f32 i32 bool F=I // softfloat i32-to-f32: SERVICE1(D, A, OFF)
//@ to_i32 f32 I=F: TO_I32(D, A) // softfloat f32-to-i32: SERVICE1(D, A, OFF)
//@ to_i32 bool I=I: D = mov_i32(A)
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

/* x != 0, true for NaN: any bit beside the sign. */
TEXT u32 to_bool_f32(f32 a) { return truth((bits(a) & MAGNITUDE) != 0); }
TEXT u32 to_bool_i32(u32 a) { return truth(a != 0); }
