/* sin, cos and tan of several floats: the short way of trig.h of f32 in every lane, for |x| < 2^20. Where
 * a lane is in doubt or beyond, all take the wide way of trig_wide.h, which suits every argument.
 *
 * The tangent divides the polynomials of the short way: its error is that of the reduction, of both
 * polynomials (2^-47.5, 2^-43.6) and of the division, within 2^15 units in the last place of a double. */
//@ kernel sin cos tan f32x8 V=V needs avx2
#ifndef CF_LANES_TRIG_H
#define CF_LANES_TRIG_H

#include "lanes.h"
#include "trig_wide.h"

#define CF_WAY_END     0x49800000 /* 2^20 */
#define CF_DOUBT       0x4000     /* units in the last place of a double */
#define CF_DOUBT_RATIO 0x8000     /* the same of a tangent */

/* a = q pi/2 + r; the result holds q in its low bits. */
CF_INLINE cf_u64h cf_quarter_turns(cf_f64h a, cf_f64h *r) {
    cf_f64h t = a * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = t - 0x1.8p52;
    *r = (a - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
    return (cf_u64h)t;
}

/* Where bit 0 of q is set the cosine, elsewhere the sine of r. */
CF_INLINE cf_f64h cf_wave(cf_f64h r, cf_u64h q) {
    cf_f64h c1 = cf_one_of(-0x1.5555555552239p-3, -0x1.ffffffffe98afp-2, q);
    cf_f64h c2 = cf_one_of(0x1.1111110c8733ap-7, 0x1.55555545c5145p-5, q);
    cf_f64h c3 = cf_one_of(-0x1.a019f93968d43p-13, -0x1.6c16b348bb259p-10, q);
    cf_f64h c4 = cf_one_of(0x1.71d76d16431fap-19, 0x1.a00eb9ae8179dp-16, q);
    cf_f64h c5 = cf_one_of(-0x1.a961a159ef7b5p-26, -0x1.23c97e3986d40p-22, q);
    cf_f64h lead = cf_choose64(cf_odd(q), (cf_f64h){} + 1.0, r), z = r * r, z2 = z * z;
    cf_f64h low = (lead + (lead * c1) * z) + (lead * c2) * z2;
    return low + ((lead * z) * z2) * ((c3 + c4 * z) + c5 * z2);
}

/* Lanes, of 64 bits, that lie within some units of the middle of two floats. */
CF_INLINE cf_i32s cf_doubts(cf_f64h y, int units) {
    cf_u64h distance = ((cf_u64h)y + (uint64_t)(units - 0x10000000)) & 0x1fffffffu;
    return (cf_i32s)distance < (cf_i32s)((cf_u64h){} + 2 * (uint64_t)units);
}

/* Sine where bit 0 of first is clear, else cosine; returns whether a lane is in doubt. */
CF_INLINE int cf_wave_short(cf_f32s x, uint32_t first, cf_u32s *result) {
    cf_f32s a = cf_magnitude(x);
    cf_f64h r0, r1;
    cf_u64h q0 = cf_quarter_turns(cf_doubles(cf_low(a)), &r0), q1 = cf_quarter_turns(cf_doubles(cf_high(a)), &r1);
    q0 += first;
    q1 += first;
    cf_f64h y0 = cf_wave(r0, q0), y1 = cf_wave(r1, q1);
    *result = (cf_u32s)cf_join(cf_floats(y0), cf_floats(y1)) ^ ((cf_low_words(q0, q1) & 2u) << 30);
    return cf_any(cf_doubts(y0, CF_DOUBT) | cf_doubts(y1, CF_DOUBT) | ((cf_i32s)a >= CF_WAY_END));
}

CF_INLINE cf_f32s cfv_sin(cf_f32s x) {
    cf_u32s y, other;
    if (__builtin_expect(cf_wave_short(x, 0, &y), 0)) cf_sincos_wide_lanes(x, &y, &other);
    return (cf_f32s)(y ^ ((cf_u32s)x & CF_SIGN));
}

CF_INLINE cf_f32s cfv_cos(cf_f32s x) {
    cf_u32s y, other;
    if (__builtin_expect(cf_wave_short(x, 1, &y), 0)) cf_sincos_wide_lanes(x, &other, &y);
    return (cf_f32s)y;
}

CF_INLINE cf_f64h cf_tan_half(cf_f64h a, cf_u64h *q) {
    cf_f64h r;
    *q = cf_quarter_turns(a, &r);
    return cf_wave(r, *q) / cf_wave(r, *q + 1u);
}

CF_INLINE cf_f32s cfv_tan(cf_f32s x) {
    cf_f32s a = cf_magnitude(x);
    cf_u64h q0, q1;
    cf_f64h y0 = cf_tan_half(cf_doubles(cf_low(a)), &q0), y1 = cf_tan_half(cf_doubles(cf_high(a)), &q1);
    cf_u32s y = (cf_u32s)cf_join(cf_floats(y0), cf_floats(y1)) ^ (cf_low_words(q0, q1) << 31);
    if (__builtin_expect(cf_any(cf_doubts(y0, CF_DOUBT_RATIO) | cf_doubts(y1, CF_DOUBT_RATIO) | ((cf_i32s)a >= CF_WAY_END)), 0))
        y = cf_tan_wide_lanes(x);
    return (cf_f32s)(y ^ ((cf_u32s)x & CF_SIGN));
}

#endif
