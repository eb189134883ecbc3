/* expm1 of several floats: expm1.h of f32 in every lane. */
//@ kernel expm1 f32x8 V=V needs avx2
#ifndef CF_LANES_EXPM1_H
#define CF_LANES_EXPM1_H

#include "exp.h"
#include "lanes.h"

CF_INLINE cf_f64h cf_expm1_half(cf_f64h x) {
    cf_f64h r, rl;
    x = cf_at_most(cf_at_least(x, -104.0), 89.0); /* round to -1 and to inf */
    cf_u64h k = cf_exp_reduce_lanes(x, &r, &rl);
    cf_f64h m = (cf_f64h)((k + 1023u) << 52), h = m - 1.0, a = m * r;
    cf_f64h s = h + a, e = (h - s) + a;
    return s + (e + m * (rl + cf_exp_tail_lanes(r)));
}

CF_INLINE cf_f32s cfv_expm1(cf_f32s x) {
    return cf_but_nan(x, cf_with_sign(x, CF_BY_HALVES(cf_expm1_half, x)));
}

#endif
