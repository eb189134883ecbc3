/* Sine, cosine and tangent of several floats: in every lane the steps of trig_wide.h of f32. */
#ifndef CF_LANES_TRIG_WIDE_H
#define CF_LANES_TRIG_WIDE_H

#include "../f32/trig_wide.h"
#include "lanes.h"

/* What cf_trig_reduce does, for half of the lanes; the quarter turns come back as words. */
CF_INLINE cf_u32h cf_trig_reduce_lanes(cf_u32h ax, cf_f64h *rh, cf_f64h *rl) {
    cf_u32h e = ax >> 23, s = (cf_u32h)__builtin_ia32_pmaxud128((cf_i32h)e, (cf_i32h){} + 114) - 112u;
    cf_u32h j = s >> 3, m = ((ax & 0x7fffffu) | 0x800000u) << (s & 7u);
    cf_u64h p3 = cf_product(m, cf_words(cf_two_over_pi + 12, j));
    cf_u64h p2 = cf_product(m, cf_words(cf_two_over_pi + 8, j)) + (p3 >> 32);
    cf_u64h p1 = cf_product(m, cf_words(cf_two_over_pi + 4, j)) + (p2 >> 32);
    cf_u64h hi = cf_product(m, cf_words(cf_two_over_pi, j)) + (p1 >> 32); /* its low word counts */
    cf_u64h v = (p1 << 32) | (p2 & 0xffffffffu);                         /* the 64 bits below hi */
    cf_u64h f = (hi << 2) | ((p1 >> 30) & 3u);
    cf_u32h turns = cf_first_words(hi), fraction = cf_first_words(f);
    cf_f64h y = cf_from_ints(fraction); /* exact */
    cf_f64h yl = (cf_f64h)(((v << 2) >> 12) | 0x3df0000000000000u) - 0x1p-32;
    *rh = y * 0x1.921fbp-32; /* exact */
    *rl = y * 0x1.5110b4611a626p-54 + yl * 0x1.921fb54442d18p+0;
    return (turns >> 30) + (fraction >> 31);
}

/* sine and cosine of rh+rl, each within 1 ulp of double */
CF_INLINE void cf_sincos_core_lanes(cf_f64h rh, cf_f64h rl, cf_f64h *s, cf_f64h *c) {
    cf_f64h r = rh + rl, e = rl - (r - rh), z = r * r, z2 = z * z, z4 = z2 * z2;
    cf_f64h h = 0.5 * z, w = 1.0 - h;
    cf_f64h ps = ((-0x1.5555555555548p-3 + z * 0x1.111111110f754p-7)
                  + z2 * (-0x1.a01a019bf0511p-13 + z * 0x1.71de355d03e3bp-19))
               + z4 * (-0x1.ae5e529db6accp-26 + z * 0x1.5d8d9da8edf16p-33);
    cf_f64h pc = ((0x1.555555555554bp-5 + z * -0x1.6c16c16c1500fp-10)
                  + z2 * (0x1.a01a019c8e109p-16 + z * -0x1.27e4f7f07b565p-22))
               + z4 * (0x1.1ee9dae41ea0ep-29 + z * -0x1.8fa5f6037afabp-37);
    *s = rh + (rl + (r * z) * ps);
    *c = w + ((((1.0 - w) - h) - r * e) + z2 * pc);
}

/* Sine and cosine, exchanged where the number of quarter turns, which comes back, is odd. */
CF_INLINE cf_u32h cf_waves_wide(cf_u32h ax, cf_f64h *s, cf_f64h *c) {
    cf_f64h rh, rl, sine, cosine;
    cf_u32h q = cf_trig_reduce_lanes(ax, &rh, &rl);
    cf_sincos_core_lanes(rh, rl, &sine, &cosine);
    cf_u64h odd = cf_odd(cf_extended(q));
    *s = cf_choose64(odd, cosine, sine);
    *c = cf_choose64(odd, sine, cosine);
    return q;
}

/* Sine of |x| and cosine. */
CF_INLINE void cf_sincos_wide_lanes(cf_f32s x, cf_u32s *sine, cf_u32s *cosine) {
    cf_u32s ax = (cf_u32s)cf_magnitude(x);
    cf_f64h s0, c0, s1, c1;
    cf_u32h q0 = cf_waves_wide((cf_u32h)cf_low((cf_f32s)ax), &s0, &c0);
    cf_u32h q1 = cf_waves_wide((cf_u32h)cf_high((cf_f32s)ax), &s1, &c1);
    cf_u32s q = (cf_u32s)cf_join((cf_f32h)q0, (cf_f32h)q1);
    cf_u32s a = (cf_u32s)cf_join(cf_floats(s0), cf_floats(s1)) ^ ((q & 2u) << 30);
    cf_u32s b = (cf_u32s)cf_join(cf_floats(c0), cf_floats(c1)) ^ (((q + 1u) & 2u) << 30);
    a += cf_is_lanes(ax, 0x46199998u);
    a = cf_choose((cf_u32s)((cf_i32s)ax < 0x39800000), ax, a);
    b += cf_is_lanes(ax, 0x5f18b878u) - cf_is_lanes(ax, 0x6115cb11u);
    cf_u32s none = (cf_u32s)((cf_i32s)ax >= (int)CF_INF), nan = (cf_u32s){} + CF_NAN;
    *sine = cf_choose(none, nan | ((cf_u32s)x & CF_SIGN), a); /* the caller's sign of x makes it the one NaN */
    *cosine = cf_choose(none, nan, b);
}

/* Tangent of |x|. */
CF_INLINE cf_u32s cf_tan_wide_lanes(cf_f32s x) {
    cf_u32s ax = (cf_u32s)cf_magnitude(x);
    cf_f64h s0, c0, s1, c1;
    cf_u32h q0 = cf_waves_wide((cf_u32h)cf_low((cf_f32s)ax), &s0, &c0);
    cf_u32h q1 = cf_waves_wide((cf_u32h)cf_high((cf_f32s)ax), &s1, &c1);
    cf_u32s q = (cf_u32s)cf_join((cf_f32h)q0, (cf_f32h)q1);
    cf_u32s o = (cf_u32s)cf_join(cf_floats(s0 / c0), cf_floats(s1 / c1)) ^ (q << 31);
    o = cf_choose((cf_u32s)((cf_i32s)ax < 0x39800000), ax, o); /* |x| < 2^-12 */
    return cf_choose((cf_u32s)((cf_i32s)ax >= (int)CF_INF), ((cf_u32s){} + CF_NAN) | ((cf_u32s)x & CF_SIGN), o);
}

#endif
