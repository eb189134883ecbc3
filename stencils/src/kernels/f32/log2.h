/* cf_log2: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * The reduction of log.h with its own 1/c: log2(c) lies within 2^-58 of a
 * multiple of 2^-44. log2(1+r): r is split at 26 bits, its head times the head
 * of log2(e) is exact; polynomial of degree 10.
 *
 * double before rounding: within 0.58 * 2^-53; exceptional inputs: none
 * tables: 256 bytes; no loop
 * instructions, worst case (x86_64/AArch64): log2 82/101 */
//@ kernel log2 f32 F=F
#ifndef CF_MATH_LOG2_H
#define CF_MATH_LOG2_H

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

/* log2(1+r) - r log2(e) */
CF_INLINE double cf_log2_tail(double r) {
    double z = r * r;
    double a = -0x1.71547652b82fep-1 + r * 0x1.ec709dc3a0301p-2;
    double b = (-0x1.71547652b87e2p-2 + r * 0x1.2776c5111416ap-2)
             + z * (-0x1.ec709dc03bc4bp-3 + r * 0x1.a617360949974p-3);
    double c = (-0x1.71546a5d8361p-3 + r * 0x1.49059ec91d829p-3) + z * -0x1.27f992601db89p-3;
    return z * (a + z * (b + (z * z) * c));
}

CF_INLINE float cf_log2(float x) {
    double k, m;
    uint64_t i = cf_log_reduce((double)x, &k, &m);
    double r = m * cf_log2_table[i][0] - 1.0; /* exact */
    double rh = cf_f64(cf_bits64(r) & 0xfffffffff8000000u), rl = r - rh;
    double h = k + cf_log2_table[i][1], a = rh * 0x1.7154768p+0; /* both exact */
    double b = rl * 0x1.71547652b82fep+0 + rh * -0x1.6a3e80f444178p-27;
    double s = h + a, e = (h - s) + a;
    double y = s + (e + (b + cf_log2_tail(r)));
    return cf_log_special(cf_bits32(x), cf_bits32((float)y));
}

#endif
