//@ kernel sincos f64 DD=D
#include "trig.h"

/* Sine and cosine, by the steps of cf64_sin and cf64_cos, in the first two registers for
 * doubles: all calling conventions give such a pair there. */
struct cf64_sincos_result {
    double sine, cosine;
};

struct cf64_sincos_result cf64_entry_sincos(double x) __asm__("cf64_sincos");

struct cf64_sincos_result cf64_entry_sincos(double x) {
    uint64_t u = cf64_abs_bits(x);
    if (u >= CF64_INF) return (struct cf64_sincos_result){x - x, x - x};
    cf_turns t = cf64_reduce(u);
    double sine = cf64_sin_of(t.n, t.r);
    sine = x < 0 ? -sine : sine;
    return (struct cf64_sincos_result){u < 0x3e40000000000000u ? x : sine, cf64_sin_of(t.n + 1, t.r)};
}
