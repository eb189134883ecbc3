/* cf_exp2: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * x = k + r, exact, |r| <= 1/2. 2^r: polynomial of degree 11 whose linear
 * coefficient has a 29-bit head, so that head times r is exact; Fast2Sum of the
 * leading terms, exact scaling in double.
 *
 * double before rounding: within 0.63 * 2^-53; exceptional inputs: 2
 * tables: none; no loop
 * instructions, worst case (x86_64/AArch64): exp2 80/100 */
//@ kernel exp2 f32 F=F
#ifndef CF_MATH_EXP2_H
#define CF_MATH_EXP2_H

#include "bits.h"

/* (2^r - 1 - r ln2) / r^2, |r| <= 1/2 */
CF_INLINE double cf_exp2_tail(double r, double z) {
    double z2 = z * z;
    double a = (0x1.ebfbdff82c5a4p-3 + r * 0x1.c6b08d7049fdap-5)
             + z * (0x1.3b2ab6fba01acp-7 + r * 0x1.5d87fe78cf8d3p-10);
    double b = (0x1.4309130ec0559p-13 + r * 0x1.ffcbfba08a2e4p-17)
             + z * (0x1.62bfc7d2d3cfep-20 + r * 0x1.b5268dd759382p-24);
    double c = 0x1.e61afd0bc2aecp-28 + r * 0x1.e784010d51459p-32;
    return a + z2 * (b + z2 * c);
}

CF_INLINE float cf_exp2(float x) {
    uint32_t u = cf_bits32(x);
    double xd = (double)x;
    xd = xd < -151.0 ? -151.0 : xd; /* rounds to 0 */
    xd = xd > 129.0 ? 129.0 : xd;   /* rounds to inf */
    double t = xd + 0x1.8p52, r = xd - (t - 0x1.8p52); /* exact */
    double z = r * r;
    double q = r * -0x1.7184284bb08c7p-35 + z * cf_exp2_tail(r, z);
    double a = r * 0x1.62e42ffp-1; /* exact */
    double s = 1.0 + a, e = a - (s - 1.0);
    double y = (s + (e + q)) * cf_f64((cf_bits64(t) + 1023u) << 52);
    uint32_t o = cf_bits32((float)y) + (cf_is(u, 0x3b429d37u) + cf_is(u, 0xbcf3a937u));
    return cf_f32((u & CF_ABS) > CF_INF ? CF_NAN : o);
}

#endif
