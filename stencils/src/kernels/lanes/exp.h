/* exp of several floats: exp.h of f32 in every lane. */
//@ kernel exp f32x8 V=V needs avx2
#ifndef CF_LANES_EXP_H
#define CF_LANES_EXP_H

#include "lanes.h"

/* x = k*ln2 + r + rl, |r| <= ln2/2; the result holds k in its low bits. */
CF_INLINE cf_u64h cf_exp_reduce_lanes(cf_f64h x, cf_f64h *r, cf_f64h *rl) {
    cf_f64h t = x * 0x1.71547652b82fep+0 + 0x1.8p52;
    cf_f64h k = t - 0x1.8p52;
    cf_f64h a = x - k * 0x1.62e42fefa3a00p-1; /* exact */
    cf_f64h b = k * -0x1.0ca86c3898d00p-49;
    *r = a - b;
    *rl = (a - *r) - b;
    return (cf_u64h)t;
}

/* e^r - 1 - r */
CF_INLINE cf_f64h cf_exp_tail_lanes(cf_f64h r) {
    cf_f64h z = r * r, z2 = z * z;
    cf_f64h a = (0x1.000000000000ap-1 + r * 0x1.55555555554fdp-3)
              + z * (0x1.5555555550699p-5 + r * 0x1.1111111126ec8p-7);
    cf_f64h b = (0x1.6c16c1848329p-10 + r * 0x1.a01a012ee246cp-13)
              + z * (0x1.a0199935aeb6ep-16 + r * 0x1.71df1ae67ed64p-19);
    cf_f64h c = 0x1.28ae28e0c773ep-22 + r * 0x1.ad90692f846b2p-26;
    return z * (a + z2 * (b + z2 * c));
}

CF_INLINE cf_f64h cf_exp_half(cf_f64h x) {
    cf_f64h r, rl;
    x = cf_at_most(cf_at_least(x, -104.0), 89.0); /* round to 0 and to inf */
    cf_u64h k = cf_exp_reduce_lanes(x, &r, &rl);
    cf_f64h s = 1.0 + r, e = r - (s - 1.0);
    return (s + (e + (rl + cf_exp_tail_lanes(r)))) * (cf_f64h)((k + 1023u) << 52);
}

CF_INLINE cf_f32s cfv_exp(cf_f32s x) {
    return cf_but_nan(x, CF_BY_HALVES(cf_exp_half, x));
}

#endif
