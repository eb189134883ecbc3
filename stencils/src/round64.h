/* floor, ceil, trunc and round of doubles from conversions, for cores without a rounding
 * instruction. As round.h, whose comments say why. */
#ifndef CF_ROUND64_H
#define CF_ROUND64_H

#include "double.h"

#if defined(__SSE4_1__)

#include "round.h"

#define ROUNDING64(name, mode)                                       \
    TEXT f64 name(f64 a) {                                           \
        f64 r;                                                       \
        __asm__("roundsd " mode ", %1, %0" : "=x"(r) : "x"(a));    \
        return r;                                                    \
    }
ROUNDING64(floor_f64, ROUND_DOWN)
ROUNDING64(trunc_f64, ROUND_TO_ZERO)
ROUNDING64(ceil_f64, ROUND_UP)
ROUNDING64(round_f64, ROUND_TO_NEAREST)

#elif defined(__x86_64__)

#define NO_FRACTION64 0x433u /* exponent of 2^52: from here on every double is an integer, infinite or NaN */

/* Truncates |a| < 2^63; any other input gives some integer, which callers discard. */
TEXT i64 cut64(f64 a) {
    i64 i;
    __asm__("cvttsd2si %1, %0" : "=r"(i) : "x"(a));
    return i;
}

/* Rounds |a| < 2^63 to the nearest integer, ties to the even one; else as cut64. */
TEXT i64 nearest64(f64 a) {
    i64 i;
    __asm__("cvtsd2si %1, %0" : "=r"(i) : "x"(a));
    return i;
}

/* By shifts: 64-bit masks would need more registers than there are for scratch. */
TEXT f64 rounded_like64(i64 i, f64 a) {
    u64 u = bits64(a);
    u64 r = bits64((f64)i) | (u >> 63 << 63);
    return from_bits64(((u32)(u >> 52) & 0x7ffu) >= NO_FRACTION64 ? u : r);
}

TEXT f64 trunc_f64(f64 a) { return rounded_like64(cut64(a), a); }

TEXT f64 floor_f64(f64 a) {
    i64 i = cut64(a);
    u64 above = (f64)i > a;
    return rounded_like64((i64)((u64)i - above), a);
}

TEXT f64 ceil_f64(f64 a) {
    i64 i = cut64(a);
    u64 below = (f64)i < a;
    return rounded_like64((i64)((u64)i + below), a);
}

TEXT f64 round_f64(f64 a) { return rounded_like64(nearest64(a), a); }

#elif defined(__aarch64__)

TEXT f64 trunc_f64(f64 a) { return __builtin_trunc(a); }
TEXT f64 floor_f64(f64 a) { return __builtin_floor(a); }
TEXT f64 ceil_f64(f64 a) { return __builtin_ceil(a); }

TEXT f64 round_f64(f64 a) {
    f64 r;
    __asm__("frintn %d0, %d1" : "=w"(r) : "w"(a));
    return r;
}

#else
#error "round64.h: no floor, trunc, ceil, round of doubles for this architecture"
#endif

#endif
