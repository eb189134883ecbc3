/* cf_pow(x, y): one definition in double for every target, at most 0.50001 ULP
 * (proof/two.log); special values as C99 F.9.4.4, NaN results 0x7fc00000.
 *
 * |x|^y = 2^(y log2|x|). |x| = 2^k m in 16 intervals with a 28-bit 1/c, so that
 * r = m/c - 1 is exact and log2 keeps its relative accuracy near 1 (interval 9
 * has c = 1). log2(1+r): degree 10, |r| < 0.0313. 2^f, |f| <= 1/2: degree 11.
 * Both are within 2 * 2^-53; y log2|x| is below 151 in magnitude where the
 * result is finite and not 0, so the result is within 2^-43 before rounding.
 *
 * tables: 256 bytes; no loop */
#ifndef CF_MATH_POW_H
#define CF_MATH_POW_H

#include "bits.h"
#include "log.h"

static const double cf_log2_table[16][2] = { /* 1/c, log2(c) */
    {0x1.6434430000000p+0, -0x1.e7ff7a0a0b400p-2}, {0x1.5544de2000000p+0, -0x1.a8b851982cc00p-2},
    {0x1.47a37b8000000p+0, -0x1.6c812e7e53000p-2}, {0x1.3b10398000000p+0, -0x1.32afabc523000p-2},
    {0x1.2f5900e000000p+0, -0x1.f5689a0414800p-3}, {0x1.249d522000000p+0, -0x1.8af8efaf38800p-3},
    {0x1.1a8a5c0000000p+0, -0x1.23755d61d4800p-3}, {0x1.110b968000000p+0, -0x1.7ce9b818bc000p-4},
    {0x1.0838c76000000p+0, -0x1.7599fb2322000p-5}, {0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.e1da228000000p-1, 0x1.669e727910000p-4},  {0x1.c73a3b8000000p-1, 0x1.5b4046ca13800p-3},
    {0x1.af20a80000000p-1, 0x1.fbf6a1f805000p-3},  {0x1.99825a0000000p-1, 0x1.49fb60fa22400p-2},
    {0x1.862eb38000000p-1, 0x1.916723bc0b800p-2},  {0x1.7441358000000p-1, 0x1.d6e3e0a2a5800p-2},
};

/* log2 of a positive finite double that holds a float */
CF_INLINE double cf_log2_core(double x) {
    double k, m;
    uint64_t i = cf_log_reduce(x, &k, &m);
    double r = m * cf_log2_table[i][0] - 1.0; /* exact */
    double z = r * r;
    double a = -0x1.71547652b82fep-1 + r * 0x1.ec709dc3a0301p-2;
    double b = (-0x1.71547652b87e2p-2 + r * 0x1.2776c5111416ap-2)
             + z * (-0x1.ec709dc03bc4bp-3 + r * 0x1.a617360949974p-3);
    double c = (-0x1.71546a5d8361p-3 + r * 0x1.49059ec91d829p-3) + z * -0x1.27f992601db89p-3;
    double p = z * (a + z * (b + (z * z) * c));
    return (k + cf_log2_table[i][1]) + (r * 0x1.71547652b82fep+0 + p);
}

/* 2^t for -151 <= t <= 129 */
CF_INLINE double cf_exp2_core(double t) {
    double s = t + 0x1.8p52, r = t - (s - 0x1.8p52); /* exact */
    double z = r * r, z2 = z * z;
    double a = (0x1.ebfbdff82c5a4p-3 + r * 0x1.c6b08d7049fdap-5)
             + z * (0x1.3b2ab6fba01acp-7 + r * 0x1.5d87fe78cf8d3p-10);
    double b = (0x1.4309130ec0559p-13 + r * 0x1.ffcbfba08a2e4p-17)
             + z * (0x1.62bfc7d2d3cfep-20 + r * 0x1.b5268dd759382p-24);
    double c = 0x1.e61afd0bc2aecp-28 + r * 0x1.e784010d51459p-32;
    double p = 1.0 + (r * 0x1.62e42fefa39efp-1 + z * (a + z2 * (b + z2 * c)));
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
