/* cf_log: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * x = 2^k m with 45/64 <= m < 45/32, in 16 intervals. 1/c of an interval has 28
 * bits, so r = m/c - 1 is exact, |r| < 0.0313. The 1/c are chosen such that
 * log(c) lies within 2^-58 of a multiple of 2^-44: k*ln2_hi + log(c) is exact
 * and the table needs no low part. log(1+r) - r is a polynomial of degree 9
 * (relative error 2^-61), added with Fast2Sum.
 *
 * double before rounding: within 0.57 * 2^-53; exceptional inputs: 5
 * tables: 256 bytes; no loop
 * instructions, worst case (x86_64/AArch64): log 97/115 */
//@ kernel log f32 F=F
#ifndef CF_MATH_LOG_H
#define CF_MATH_LOG_H

#include "bits.h"

static const double cf_log_table[16][2] = { /* 1/c, log(c) */
    {0x1.642683a000000p+0, -0x1.52199aba3fc00p-2}, {0x1.55569bc000000p+0, -0x1.2699f45179800p-2},
    {0x1.47aff0c000000p+0, -0x1.f99d6772c8000p-3}, {0x1.3b22e6c000000p+0, -0x1.a9a1ad45f0000p-3},
    {0x1.2f6c5c0000000p+0, -0x1.5c0f738641800p-3}, {0x1.2496708000000p+0, -0x1.1195fb6da8000p-3},
    {0x1.1a7ce64000000p+0, -0x1.9348f06a40000p-4}, {0x1.1100422000000p+0, -0x1.075d637718000p-4},
    {0x1.084a8c0000000p+0, -0x1.051cc8662a000p-5}, {0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.e1e5380000000p-1, 0x1.f06a54335a000p-5},  {0x1.c72ea8c000000p-1, 0x1.e1cc8b6a68000p-4},
    {0x1.af3d8a0000000p-1, 0x1.5f8eb9ff48000p-3},  {0x1.999f368000000p-1, 0x1.c8e36c2ae3000p-3},
    {0x1.862c824000000p-1, 0x1.1640f62fa1800p-2},  {0x1.745765c000000p-1, 0x1.462864706ac00p-2},
};

/* x = 2^k m; returns the interval of m. */
CF_INLINE uint64_t cf_log_reduce(double x, double *k, double *m) {
    uint64_t bits = cf_bits64(x);
    uint64_t t = bits + (0x3ff0000000000000u - 0x3fe6800000000000u);
    uint64_t biased = t >> 52; /* k + 1023 */
    *k = cf_f64(0x4330000000000000u | biased) - (0x1p52 + 1023.0);
    *m = cf_f64(bits - (biased << 52) + 0x3ff0000000000000u);
    return (t >> 48) & 15u;
}

/* log(1+r) - r */
CF_INLINE double cf_log_tail(double r) {
    double z = r * r;
    double a = (0x1.55555555554a8p-2 + r * -0x1.ffffffffffdc4p-3)
             + z * (0x1.9999999c803e5p-3 + r * -0x1.5555555913c6p-3);
    double b = (0x1.24922a4ad794ap-3 + r * -0x1.ffffbbd55de25p-4)
             + z * (0x1.c81ec9d838418p-4 + r * -0x1.9a99e6fb5d66dp-4);
    return z * (-0.5 + r * (a + (z * z) * b));
}

/* The result bits o, or the special ones of infinity, NaN, zero and negatives. */
CF_INLINE float cf_log_special(uint32_t u, uint32_t o) {
    o = u == CF_INF ? CF_INF : o;
    o = u > CF_INF ? CF_NAN : o; /* NaN, or any negative */
    return cf_f32((u << 1) == 0 ? (CF_SIGN | CF_INF) : o);
}

CF_INLINE float cf_log(float x) {
    uint32_t u = cf_bits32(x);
    double k, m;
    uint64_t i = cf_log_reduce((double)x, &k, &m);
    double r = m * cf_log_table[i][0] - 1.0;                     /* exact */
    double h = k * 0x1.62e42fefa3a00p-1 + cf_log_table[i][1];    /* exact */
    double s = h + r, e = (h - s) + r;
    double y = s + (e + (k * -0x1.0ca86c3898d00p-49 + cf_log_tail(r)));
    uint32_t o = cf_bits32((float)y);
    o += cf_is(u, 0x4c5d65a5u) + cf_is(u, 0x65d890d3u) + cf_is(u, 0x6f31a8ecu)
       - cf_is(u, 0x3c413d3au) - cf_is(u, 0x41178febu);
    return cf_log_special(u, o);
}

#endif
