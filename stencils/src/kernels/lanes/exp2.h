/* exp2 of several floats: exp2.h of f32 in every lane. */
//@ kernel exp2 f32x8 V=V needs avx2
#ifndef CF_LANES_EXP2_H
#define CF_LANES_EXP2_H

#include "lanes.h"

/* (2^r - 1 - r ln2) / r^2, |r| <= 1/2 */
CF_INLINE cf_f64h cf_exp2_tail_lanes(cf_f64h r, cf_f64h z) {
    cf_f64h z2 = z * z;
    cf_f64h a = (0x1.ebfbdff82c5a4p-3 + r * 0x1.c6b08d7049fdap-5)
              + z * (0x1.3b2ab6fba01acp-7 + r * 0x1.5d87fe78cf8d3p-10);
    cf_f64h b = (0x1.4309130ec0559p-13 + r * 0x1.ffcbfba08a2e4p-17)
              + z * (0x1.62bfc7d2d3cfep-20 + r * 0x1.b5268dd759382p-24);
    cf_f64h c = 0x1.e61afd0bc2aecp-28 + r * 0x1.e784010d51459p-32;
    return a + z2 * (b + z2 * c);
}

CF_INLINE cf_f64h cf_exp2_half(cf_f64h x) {
    x = cf_at_most(cf_at_least(x, -151.0), 129.0);       /* round to 0 and to inf */
    cf_f64h t = x + 0x1.8p52, r = x - (t - 0x1.8p52);    /* exact */
    cf_f64h z = r * r;
    cf_f64h q = r * -0x1.7184284bb08c7p-35 + z * cf_exp2_tail_lanes(r, z);
    cf_f64h a = r * 0x1.62e42ffp-1; /* exact */
    cf_f64h s = 1.0 + a, e = a - (s - 1.0);
    return (s + (e + q)) * (cf_f64h)(((cf_u64h)t + 1023u) << 52);
}

CF_INLINE cf_f32s cfv_exp2(cf_f32s x) {
    cf_u32s u = (cf_u32s)x, o = (cf_u32s)CF_BY_HALVES(cf_exp2_half, x);
    o -= cf_is_lanes(u, 0x3b429d37u) + cf_is_lanes(u, 0xbcf3a937u);
    return cf_but_nan(x, (cf_f32s)o);
}

#endif
