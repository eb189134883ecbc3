/* sinh, cosh and tanh of several floats: hyperbolic.h of f32 in every lane. */
//@ kernel sinh cosh tanh f32x8 V=V needs avx2
#ifndef CF_LANES_HYPERBOLIC_H
#define CF_LANES_HYPERBOLIC_H

#include "exp.h"
#include "lanes.h"

/* both of a, 0 <= a < 104 */
CF_INLINE void cf_hyperbolic_lanes(cf_f64h a, cf_f64h *sinh, cf_f64h *cosh) {
    cf_f64h r, rl;
    cf_u64h k = cf_exp_reduce_lanes(a, &r, &rl);
    cf_f64h m = (cf_f64h)((k + 1022u) << 52), n = (cf_f64h)((1022u - k) << 52);
    cf_f64h p = m + n, d = m - n, z = r * r, z2 = z * z;
    cf_f64h s = (0x1.5555555555559p-3 + z * 0x1.111111110f64dp-7)
              + z2 * ((0x1.a01a01b008c28p-13 + z * 0x1.71ddf7fdf5b41p-19)
                      + z2 * 0x1.af5f50be67681p-26);
    cf_f64h c = (0x1.5555555555558p-5 + z * 0x1.6c16c16c1500bp-10)
              + z2 * ((0x1.a01a01ad774fp-16 + z * 0x1.27e4cc25728cap-22)
                      + z2 * 0x1.1f8bb974f87b7p-29);
    cf_f64h sr = rl + (r * z) * s;  /* sinh r - r */
    cf_f64h cr = z * (0.5 + z * c); /* cosh r - 1 */
    cf_f64h b = p * r, t = d + b, e = (d - t) + b;
    *sinh = t + (e + (p * sr + d * cr));
    *cosh = p + (d * r + (p * cr + d * sr));
}

CF_INLINE cf_f64h cf_sinh_half(cf_f64h a) {
    cf_f64h s, c;
    cf_hyperbolic_lanes(cf_at_most(a, 100.0), &s, &c);
    return s;
}

CF_INLINE cf_f64h cf_cosh_half(cf_f64h a) {
    cf_f64h s, c;
    cf_hyperbolic_lanes(cf_at_most(a, 100.0), &s, &c);
    return c;
}

CF_INLINE cf_f64h cf_tanh_half(cf_f64h a) {
    cf_f64h s, c;
    cf_hyperbolic_lanes(cf_at_most(a, 20.0), &s, &c);
    return s / c;
}

CF_INLINE cf_f32s cfv_sinh(cf_f32s x) {
    cf_f32s a = cf_magnitude(x);
    cf_u32s o = (cf_u32s)CF_BY_HALVES(cf_sinh_half, a) + cf_is_lanes((cf_u32s)a, 0x3a1285ffu);
    return cf_but_nan(x, cf_with_sign(x, (cf_f32s)o));
}

CF_INLINE cf_f32s cfv_cosh(cf_f32s x) { return cf_but_nan(x, CF_BY_HALVES(cf_cosh_half, cf_magnitude(x))); }

CF_INLINE cf_f32s cfv_tanh(cf_f32s x) {
    return cf_but_nan(x, cf_with_sign(x, CF_BY_HALVES(cf_tanh_half, cf_magnitude(x))));
}

#endif
