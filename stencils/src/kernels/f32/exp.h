/* cf_exp: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * x = k ln2 + r + rl with |r| <= ln2/2. ln2 is split in two so that k times its
 * head is exact; k comes from adding 1.5*2^52, whose low bits then hold it.
 * e^r is a polynomial of degree 11 (relative error 2^-57.9); its leading terms
 * are added with their rounding error kept (Fast2Sum). The scaling by 2^k is
 * exact in double, so overflow and subnormal results round once, in the
 * conversion to float.
 *
 * double before rounding: within 0.65 * 2^-53; exceptional inputs: none
 * tables: none; no loop
 * instructions, worst case (x86_64/AArch64): exp 73/103 */
//@ kernel exp f32 F=F
#ifndef CF_MATH_EXP_H
#define CF_MATH_EXP_H

#include "bits.h"

/* x = k*ln2 + r + rl, |r| <= ln2/2; the result holds k in its low bits. */
CF_INLINE uint64_t cf_exp_reduce(double x, double *r, double *rl) {
    double t = x * 0x1.71547652b82fep+0 + 0x1.8p52;
    double k = t - 0x1.8p52;
    double a = x - k * 0x1.62e42fefa3a00p-1; /* exact */
    double b = k * -0x1.0ca86c3898d00p-49;
    *r = a - b;
    *rl = (a - *r) - b;
    return cf_bits64(t);
}

/* e^r - 1 - r */
CF_INLINE double cf_exp_tail(double r) {
    double z = r * r, z2 = z * z;
    double a = (0x1.000000000000ap-1 + r * 0x1.55555555554fdp-3)
             + z * (0x1.5555555550699p-5 + r * 0x1.1111111126ec8p-7);
    double b = (0x1.6c16c1848329p-10 + r * 0x1.a01a012ee246cp-13)
             + z * (0x1.a0199935aeb6ep-16 + r * 0x1.71df1ae67ed64p-19);
    double c = 0x1.28ae28e0c773ep-22 + r * 0x1.ad90692f846b2p-26;
    return z * (a + z2 * (b + z2 * c));
}

CF_INLINE float cf_exp(float x) {
    uint32_t u = cf_bits32(x);
    double xd = (double)x, r, rl;
    xd = xd < -104.0 ? -104.0 : xd; /* rounds to 0 */
    xd = xd > 89.0 ? 89.0 : xd;     /* rounds to inf */
    uint64_t k = cf_exp_reduce(xd, &r, &rl);
    double s = 1.0 + r, e = r - (s - 1.0);
    double y = (s + (e + (rl + cf_exp_tail(r)))) * cf_f64((k + 1023u) << 52);
    return (u & CF_ABS) > CF_INF ? cf_f32(CF_NAN) : (float)y;
}

#endif
