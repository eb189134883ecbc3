/* atan of several floats: atan.h of f32 in every lane. */
//@ kernel atan f32x8 V=V needs avx2
#ifndef CF_LANES_ATAN_H
#define CF_LANES_ATAN_H

#include "../f32/atan.h"
#include "lanes.h"

/* atan(n/d) for 0 <= n <= d, d > 0 and finite; or pi/2 - atan(n/d) where complement is all ones. j is the
 * eighth nearest to n/d. */
CF_INLINE cf_f64h cf_atan_half(cf_f32h n, cf_f32h d, cf_u32h j, cf_u32h complement) {
    cf_u64h rest = cf_extended(complement);
    cf_f64h c = cf_from_ints(j) * 0.125, nd = cf_doubles(n), dd = cf_doubles(d);
    cf_f64h t = (nd - c * dd) / (dd + c * nd);         /* both exact before the division */
    t = (cf_f64h)((cf_u64h)t ^ (rest & ((uint64_t)1 << 63)));
    cf_u64h i = cf_extended(j) + (rest & 9u);
    cf_f64h z = t * t, z2 = z * z;
    cf_f64h p = (-0x1.555555555552bp-2 + z * 0x1.9999999953411p-3)
              + z2 * ((-0x1.249247f4aad9ap-3 + z * 0x1.c717f713376b9p-4)
                      + z2 * -0x1.7085d4c0325c2p-4);
    return cf_gather(cf_atan_table, 0, i) + (t + (cf_gather(cf_atan_table, 1, i) + (t * z) * p));
}

CF_INLINE cf_f32s cfv_atan(cf_f32s x) {
    cf_i32s ax = (cf_i32s)cf_magnitude(x);
    cf_u32s ac = cf_choose((cf_u32s)(ax > 0x53800000), (cf_u32s){} + 0x53800000u, (cf_u32s)ax); /* 2^40 and beyond: pi/2 */
    cf_u32s complement = (cf_u32s)((cf_i32s)ac > (int)CF_ONE), one = (cf_u32s){} + CF_ONE;
    cf_f32s n = (cf_f32s)cf_choose(complement, one, ac), d = (cf_f32s)cf_choose(complement, ac, one);
    cf_f32s j = (cf_f32s)__builtin_convertvector((n / d) * 8.0f + 0.5f, cf_i32s), all = (cf_f32s)complement;
    cf_f64h y0 = cf_atan_half(cf_low(n), cf_low(d), (cf_u32h)cf_low(j), (cf_u32h)cf_low(all));
    cf_f64h y1 = cf_atan_half(cf_high(n), cf_high(d), (cf_u32h)cf_high(j), (cf_u32h)cf_high(all));
    cf_u32s o = (cf_u32s)cf_join(cf_floats(y0), cf_floats(y1)) - cf_is_lanes((cf_u32s)ax, 0x3d8d6b23u);
    return cf_but_nan(x, cf_with_sign(x, (cf_f32s)o));
}

#endif
