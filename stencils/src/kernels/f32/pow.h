/* cf_pow(x, y): one definition in double for every target, at most 0.51 ULP
 * (proof/sample.log); special values as C99 F.9.4.4, NaN results 0x7fc00000.
 *
 * |x|^y = 2^(y log2|x|). |x| = 2^k m in 16 intervals with a 28-bit 1/c, so that
 * r = m/c - 1 is exact and log2 keeps its relative accuracy near 1 (interval 9
 * has c = 1). log2(1+r): degree 10, |r| < 0.0313. 2^f, |f| <= 1/2: degree 11.
 * Both are within 2 * 2^-53; y log2|x| is below 151 in magnitude where the
 * result is finite and not 0, so the result is within 2^-43 before rounding.
 *
 * tables: 256 bytes; no loop
 * instructions, worst case (x86_64/AArch64): pow 173/205 */
//@ kernel pow f32 F=FF
#ifndef CF_MATH_POW_H
#define CF_MATH_POW_H

#include "bits.h"
#include "exp2.h"
#include "log2.h"

/* log2 of a positive finite double that holds a float */
CF_INLINE double cf_log2_core(double x) {
    double k, m;
    uint64_t i = cf_log_reduce(x, &k, &m);
    double r = m * cf_log2_table[i][0] - 1.0; /* exact */
    return (k + cf_log2_table[i][1]) + (r * 0x1.71547652b82fep+0 + cf_log2_tail(r));
}

/* 2^t for -151 <= t <= 129 */
CF_INLINE double cf_exp2_core(double t) {
    double s = t + 0x1.8p52, r = t - (s - 0x1.8p52); /* exact */
    double z = r * r;
    double p = 1.0 + (r * 0x1.62e42fefa39efp-1 + z * cf_exp2_tail(r, z));
    return p * cf_f64((cf_bits64(s) + 1023u) << 52);
}

/* 0: not an integer, 1: odd, 2: even (every float from 2^24 on, and infinity);
 * bits of |y|, y not 0 */
CF_INLINE uint32_t cf_integer_kind(uint32_t ay) {
    uint32_t e = ay >> 23;
    uint32_t s = e < 127u ? 24u : (e > 150u ? 0u : 150u - e); /* fraction bits */
    uint32_t m = (ay & 0x7fffffu) | 0x800000u;
    uint32_t fraction = m & ((1u << s) - 1u);
    uint32_t whole = e > 150u ? 2u : 2u - ((m >> s) & 1u);
    return fraction != 0u ? 0u : whole;
}

CF_INLINE float cf_pow(float x, float y) {
    uint32_t ux = cf_bits32(x), uy = cf_bits32(y);
    uint32_t ax = ux & CF_ABS, ay = uy & CF_ABS;
    double l = cf_log2_core((double)cf_f32(ax));
    l = ax == 0u ? -(double)__builtin_inff() : l;
    l = ax >= CF_INF ? (double)__builtin_inff() : l;
    double t = (double)y * l;
    t = t < -151.0 ? -151.0 : t; /* rounds to 0 */
    t = t > 129.0 ? 129.0 : t;   /* rounds to inf */
    uint32_t kind = cf_integer_kind(ay);
    uint32_t o = cf_bits32((float)cf_exp2_core(t));
    o |= kind == 1u ? ux & CF_SIGN : 0u;
    uint32_t root = (uint32_t)(kind == 0u) & (uint32_t)(ux - CF_SIGN - 1u < CF_INF - 1u);
    uint32_t nan = root | (uint32_t)(ax > CF_INF) | (uint32_t)(ay > CF_INF);
    uint32_t one = (uint32_t)(ay == 0u) | (uint32_t)(ux == CF_ONE)
                 | ((uint32_t)(ax == CF_ONE) & (uint32_t)(ay == CF_INF));
    o = nan ? CF_NAN : o;
    return cf_f32(one ? CF_ONE : o);
}

#endif
