/* cf_sinh, cf_cosh, cf_tanh: correctly rounded for all 2^32 inputs
 * (proof/sweep.log).
 *
 * |x| = k ln2 + r + rl as in exp.h; sinh r and cosh r by polynomials, combined
 * with (2^k +- 2^-k)/2.
 *
 * double before rounding, in 2^-53: sinh 1.28, cosh 1.09, tanh 2.6
 * exceptional inputs: sinh 1, cosh none, tanh none
 * tables: none; no loop; tanh: one division
 * instructions, worst case (x86_64/AArch64): sinh 93/108, cosh 79/102, tanh 97/108 */
//@ kernel sinh cosh tanh f32 F=F
#ifndef CF_MATH_HYPERBOLIC_H
#define CF_MATH_HYPERBOLIC_H

#include "bits.h"
#include "exp.h"

/* both of a, 0 <= a < 104 */
CF_INLINE void cf_hyperbolic(double a, double *sinh, double *cosh) {
    double r, rl;
    uint64_t k = cf_exp_reduce(a, &r, &rl);
    double m = cf_f64((k + 1022u) << 52), n = cf_f64((1022u - k) << 52);
    double p = m + n, d = m - n, z = r * r, z2 = z * z;
    double s = (0x1.5555555555559p-3 + z * 0x1.111111110f64dp-7)
             + z2 * ((0x1.a01a01b008c28p-13 + z * 0x1.71ddf7fdf5b41p-19)
                     + z2 * 0x1.af5f50be67681p-26);
    double c = (0x1.5555555555558p-5 + z * 0x1.6c16c16c1500bp-10)
             + z2 * ((0x1.a01a01ad774fp-16 + z * 0x1.27e4cc25728cap-22)
                     + z2 * 0x1.1f8bb974f87b7p-29);
    double sr = rl + (r * z) * s;   /* sinh r - r */
    double cr = z * (0.5 + z * c);  /* cosh r - 1 */
    double b = p * r, t = d + b, e = (d - t) + b;
    *sinh = t + (e + (p * sr + d * cr));
    *cosh = p + (d * r + (p * cr + d * sr));
}

CF_INLINE float cf_sinh(float x) {
    uint32_t u = cf_bits32(x), ax = u & CF_ABS;
    double a = (double)cf_f32(ax), s, c;
    cf_hyperbolic(a > 100.0 ? 100.0 : a, &s, &c);
    uint32_t o = (cf_bits32((float)s) - cf_is(ax, 0x3a1285ffu)) | (u & CF_SIGN);
    return cf_f32(ax > CF_INF ? CF_NAN : o);
}

CF_INLINE float cf_cosh(float x) {
    uint32_t ax = cf_bits32(x) & CF_ABS;
    double a = (double)cf_f32(ax), s, c;
    cf_hyperbolic(a > 100.0 ? 100.0 : a, &s, &c);
    return ax > CF_INF ? cf_f32(CF_NAN) : (float)c;
}

CF_INLINE float cf_tanh(float x) {
    uint32_t u = cf_bits32(x), ax = u & CF_ABS;
    double a = (double)cf_f32(ax), s, c;
    cf_hyperbolic(a > 20.0 ? 20.0 : a, &s, &c);
    uint32_t o = cf_bits32((float)(s / c)) | (u & CF_SIGN);
    return cf_f32(ax > CF_INF ? CF_NAN : o);
}

#endif
