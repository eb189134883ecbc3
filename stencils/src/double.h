/* Doubles and their bits, for the stencils and kernels that work on them. */
#ifndef CF_DOUBLE_H
#define CF_DOUBLE_H

#include "stencil.h"

typedef double f64;
typedef int64_t i64;
typedef uint64_t u64;

#define SIGN_BIT64 0x8000000000000000u
#define MAGNITUDE64 0x7fffffffffffffffu
#define INFINITY_BITS64 0x7ff0000000000000u
#define ONE_BITS64 0x3ff0000000000000u

TEXT u64 bits64(f64 f) {
    u64 u;
    __builtin_memcpy(&u, &f, sizeof u);
    return u;
}

TEXT f64 from_bits64(u64 u) {
    f64 f;
    __builtin_memcpy(&f, &u, sizeof f);
    return f;
}

/* cond ? a : b, as pick of stencil.h. */
#if defined(__riscv)
TEXT f64 pick_f64(u32 cond, f64 a, f64 b) {
    u64 u = bits64(b);
    return from_bits64(u ^ ((bits64(a) ^ u) & (0u - (u64)cond)));
}
#else
#define pick_f64(cond, a, b) ((cond) ? (a) : (b))
#endif

/* Two data words, at a multiple of 8. */
typedef f64 __attribute__((may_alias)) f64_words;

#endif
