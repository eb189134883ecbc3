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

/* Two data words, at a multiple of 8. */
typedef f64 __attribute__((may_alias)) f64_words;

#endif
