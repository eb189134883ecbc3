/* cf_asin, cf_acos: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * One odd polynomial of 13 terms for asin(s), |s| <= 1/2, with s = |x|, or
 * s = sqrt((1-|x|)/2) where |x| > 1/2 (the square root is the hardware's).
 *
 * double before rounding: asin within 1.52 * 2^-53, acos 1.02 * 2^-53
 * exceptional inputs: asin none, acos 2; tables: none; no loop; one sqrt
 * instructions, worst case (x86_64/AArch64): asin 127/162, acos 146/181 */
//@ kernel asin acos f32 F=F
#ifndef CF_MATH_ASIN_H
#define CF_MATH_ASIN_H

#include "bits.h"

#define CF_PIO2_HI 0x1.921fb54442d18p+0
#define CF_PIO2_LO 0x1.1a62633145c07p-54

/* (asin(s) - s) / s, z = s*s <= 1/4 */
CF_INLINE double cf_asin_tail(double z) {
    double z2 = z * z, z4 = z2 * z2;
    double a = (0x1.5555555555577p-3 + z * 0x1.333333332e133p-4)
             + z2 * (0x1.6db6db721248ep-5 + z * 0x1.f1c71a94ff392p-6);
    double b = (0x1.6e8bdedee8f86p-6 + z * 0x1.1c49f07400b0fp-6)
             + z2 * (0x1.ca1f8b6269ec4p-7 + z * 0x1.758599792779fp-7);
    double c = (0x1.613c39261ea0ap-7 + z * 0x1.e5fa2856f77f7p-9)
             + z2 * (0x1.639b1e59c63e7p-6 + z * -0x1.57fbb4cd55b0cp-6);
    return z * (a + z4 * (b + z4 * (c + z4 * 0x1.0b46364932e65p-5)));
}

/* s and s*tail for |x|; beyond |x| = 1 the caller discards the result. */
CF_INLINE double cf_asin_core(double a, int upper, double *tail) {
    double z = upper ? (1.0 - a) * 0.5 : a * a;
    z = z < 0.0 ? 0.0 : z;
    double s = upper ? __builtin_sqrt(z) : a;
    *tail = s * cf_asin_tail(z);
    return s;
}

CF_INLINE float cf_asin(float x) {
    uint32_t u = cf_bits32(x), ax = u & CF_ABS;
    int upper = ax > 0x3f000000u;
    double a = (double)cf_f32(ax), t;
    double s = cf_asin_core(a, upper, &t);
    double low = a + t;
    double high = CF_PIO2_HI - ((s + s) + ((t + t) - CF_PIO2_LO));
    uint32_t o = cf_bits32((float)(upper ? high : low)) | (u & CF_SIGN);
    return cf_f32(ax > CF_ONE ? CF_NAN : o);
}

CF_INLINE float cf_acos(float x) {
    uint32_t u = cf_bits32(x), ax = u & CF_ABS;
    int upper = ax > 0x3f000000u, negative = (int)(u >> 31);
    double t, s = cf_asin_core((double)cf_f32(ax), upper, &t);
    /* |x| > 1/2: 2(s+t), or pi - 2(s+t); else pi/2 -+ (s+t) */
    double scale = upper ? 2.0 : 1.0;
    int subtract = upper == negative;
    scale = subtract ? -scale : scale;
    double base = upper ? (negative ? 2 * CF_PIO2_HI : 0.0) : CF_PIO2_HI;
    double base_lo = upper ? (negative ? 2 * CF_PIO2_LO : 0.0) : CF_PIO2_LO;
    double S = scale * s, T = scale * t;
    double h = base + S, e = (base - h) + S;
    uint32_t o = cf_bits32((float)(h + (e + (base_lo + T))));
    o = o + cf_is(u, 0x328885a3u) + cf_is(u, 0x39826222u);
    return cf_f32(ax > CF_ONE ? CF_NAN : o);
}

#endif
