/* cf_expm1: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * The reduction and polynomial of exp.h; 2^k - 1 is joined exactly.
 *
 * double before rounding: within 1.04 * 2^-53; exceptional inputs: none
 * tables: none; no loop
 * instructions, worst case (x86_64/AArch64): expm1 82/101 */
//@ kernel expm1 f32 F=F
#ifndef CF_MATH_EXPM1_H
#define CF_MATH_EXPM1_H

#include "bits.h"
#include "exp.h"

CF_INLINE float cf_expm1(float x) {
    uint32_t u = cf_bits32(x);
    double xd = (double)x, r, rl;
    xd = xd < -104.0 ? -104.0 : xd; /* rounds to -1 */
    xd = xd > 89.0 ? 89.0 : xd;     /* rounds to inf */
    uint64_t k = cf_exp_reduce(xd, &r, &rl);
    double m = cf_f64((k + 1023u) << 52), h = m - 1.0, a = m * r;
    double s = h + a, e = (h - s) + a;
    double y = s + (e + m * (rl + cf_exp_tail(r)));
    uint32_t o = (cf_bits32((float)y) & CF_ABS) | (u & CF_SIGN);
    return cf_f32((u & CF_ABS) > CF_INF ? CF_NAN : o);
}

#endif
