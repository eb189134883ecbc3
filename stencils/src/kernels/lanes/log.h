/* log, log2, log10 and log1p of several floats: in every lane the steps of log.h, log2.h, log10.h and
 * log1p.h of f32. A table's two columns are gathered, a half at a time. */
//@ kernel log log2 log10 log1p f32x8 V=V needs avx2
#ifndef CF_LANES_LOG_H
#define CF_LANES_LOG_H

#include "../f32/log.h"
#include "../f32/log10.h"
#include "../f32/log2.h"
#include "lanes.h"

/* x = 2^k m; returns the interval of m. */
CF_INLINE cf_u64h cf_log_reduce_lanes(cf_f64h x, cf_f64h *k, cf_f64h *m) {
    cf_u64h bits = (cf_u64h)x;
    cf_u64h t = bits + (0x3ff0000000000000u - 0x3fe6800000000000u);
    cf_u64h biased = t >> 52; /* k + 1023 */
    *k = (cf_f64h)(0x4330000000000000u | biased) - (0x1p52 + 1023.0);
    *m = (cf_f64h)(bits - (biased << 52) + 0x3ff0000000000000u);
    return (t >> 48) & 15u;
}

/* log(1+r) - r */
CF_INLINE cf_f64h cf_log_tail_lanes(cf_f64h r) {
    cf_f64h z = r * r;
    cf_f64h a = (0x1.55555555554a8p-2 + r * -0x1.ffffffffffdc4p-3)
              + z * (0x1.9999999c803e5p-3 + r * -0x1.5555555913c6p-3);
    cf_f64h b = (0x1.24922a4ad794ap-3 + r * -0x1.ffffbbd55de25p-4)
              + z * (0x1.c81ec9d838418p-4 + r * -0x1.9a99e6fb5d66dp-4);
    return z * (-0.5 + r * (a + (z * z) * b));
}

CF_INLINE cf_f64h cf_log_half(cf_f64h x) {
    cf_f64h k, m;
    cf_u64h i = cf_log_reduce_lanes(x, &k, &m);
    cf_f64h r = m * cf_gather(cf_log_table, 0, i) - 1.0;                  /* exact */
    cf_f64h h = k * 0x1.62e42fefa3a00p-1 + cf_gather(cf_log_table, 1, i); /* exact */
    cf_f64h s = h + r, e = (h - s) + r;
    return s + (e + (k * -0x1.0ca86c3898d00p-49 + cf_log_tail_lanes(r)));
}

/* log2(1+r) - r log2(e) */
CF_INLINE cf_f64h cf_log2_tail_lanes(cf_f64h r) {
    cf_f64h z = r * r;
    cf_f64h a = -0x1.71547652b82fep-1 + r * 0x1.ec709dc3a0301p-2;
    cf_f64h b = (-0x1.71547652b87e2p-2 + r * 0x1.2776c5111416ap-2)
              + z * (-0x1.ec709dc03bc4bp-3 + r * 0x1.a617360949974p-3);
    cf_f64h c = (-0x1.71546a5d8361p-3 + r * 0x1.49059ec91d829p-3) + z * -0x1.27f992601db89p-3;
    return z * (a + z * (b + (z * z) * c));
}

CF_INLINE cf_f64h cf_log2_half(cf_f64h x) {
    cf_f64h k, m;
    cf_u64h i = cf_log_reduce_lanes(x, &k, &m);
    cf_f64h r = m * cf_gather(cf_log2_table, 0, i) - 1.0; /* exact */
    cf_f64h rh = (cf_f64h)((cf_u64h)r & 0xfffffffff8000000u), rl = r - rh;
    cf_f64h h = k + cf_gather(cf_log2_table, 1, i), a = rh * 0x1.7154768p+0; /* both exact */
    cf_f64h b = rl * 0x1.71547652b82fep+0 + rh * -0x1.6a3e80f444178p-27;
    cf_f64h s = h + a, e = (h - s) + a;
    return s + (e + (b + cf_log2_tail_lanes(r)));
}

/* log10(1+r) - r log10(e) */
CF_INLINE cf_f64h cf_log10_tail_lanes(cf_f64h r) {
    cf_f64h z = r * r;
    cf_f64h a = -0x1.bcb7b1526e50ep-3 + r * 0x1.287a7636f42c7p-3;
    cf_f64h b = (-0x1.bcb7b1526f0ecp-4 + r * 0x1.63c62777acd7p-4)
              + z * (-0x1.287a7630f18eep-4 + r * 0x1.fc3f705fe59cap-5);
    cf_f64h c = (-0x1.bcb7c422a3939p-5 + r * 0x1.8c2e8989dab53p-5) + z * -0x1.6433be249e77ap-5;
    return z * (a + z * (b + (z * z) * c));
}

CF_INLINE cf_f64h cf_log10_half(cf_f64h x) {
    cf_f64h k, m;
    cf_u64h i = cf_log_reduce_lanes(x, &k, &m);
    cf_f64h r = m * cf_gather(cf_log10_table, 0, i) - 1.0; /* exact */
    cf_f64h rh = (cf_f64h)((cf_u64h)r & 0xfffffffff8000000u), rl = r - rh;
    cf_f64h h = k * 0x1.34413509f7800p-2 + cf_gather(cf_log10_table, 1, i); /* exact */
    cf_f64h a = rh * 0x1.bcb7b18p-2;                                       /* exact */
    cf_f64h b = rl * 0x1.bcb7b1526e50ep-2 + rh * -0x1.6c8d78e6acaa4p-29;
    cf_f64h s = h + a, e = (h - s) + a;
    return s + (e + (k * 0x1.fef311f12b358p-46 + (b + cf_log10_tail_lanes(r))));
}

CF_INLINE cf_f64h cf_log1p_half(cf_f64h x) {
    cf_f64h k, m, w = 1.0 + x;
    cf_u64h i = cf_log_reduce_lanes(w, &k, &m);
    cf_f64h f = cf_gather(cf_log_table, 0, i) * (cf_f64h)((cf_u64h)m - (cf_u64h)w + 0x3ff0000000000000u);
    cf_f64h r = (f - 1.0) + x * f;
    cf_f64h h = k * 0x1.62e42fefa3a00p-1 + cf_gather(cf_log_table, 1, i);
    cf_f64h s = h + r, e = (h - s) + r;
    return s + (e + (k * -0x1.0ca86c3898d00p-49 + cf_log_tail_lanes(r)));
}

/* The result o, or the special ones of infinity, NaN, zero and negatives. */
CF_INLINE cf_f32s cf_log_special_lanes(cf_f32s x, cf_u32s o) {
    cf_u32s u = (cf_u32s)x;
    o = cf_choose((cf_u32s)(u == CF_INF), u, o);
    o = cf_choose(cf_not((cf_u32s)(x >= 0.0f)), (cf_u32s){} + CF_NAN, o); /* NaN, or any negative */
    return (cf_f32s)cf_choose((cf_u32s)(x == 0.0f), (cf_u32s){} + (CF_SIGN | CF_INF), o);
}

CF_INLINE cf_f32s cfv_log(cf_f32s x) {
    cf_u32s u = (cf_u32s)x, o = (cf_u32s)CF_BY_HALVES(cf_log_half, x);
    o -= cf_is_lanes(u, 0x4c5d65a5u) + cf_is_lanes(u, 0x65d890d3u) + cf_is_lanes(u, 0x6f31a8ecu)
       - cf_is_lanes(u, 0x3c413d3au) - cf_is_lanes(u, 0x41178febu);
    return cf_log_special_lanes(x, o);
}

CF_INLINE cf_f32s cfv_log2(cf_f32s x) { return cf_log_special_lanes(x, (cf_u32s)CF_BY_HALVES(cf_log2_half, x)); }

CF_INLINE cf_f32s cfv_log10(cf_f32s x) {
    cf_u32s o = (cf_u32s)CF_BY_HALVES(cf_log10_half, x);
    return cf_log_special_lanes(x, o - cf_is_lanes((cf_u32s)x, 0x0efeee7au));
}

CF_INLINE cf_f32s cfv_log1p(cf_f32s x) {
    cf_u32s u = (cf_u32s)x, o = ((cf_u32s)CF_BY_HALVES(cf_log1p_half, x) & CF_ABS) | (u & CF_SIGN);
    o -= cf_is_lanes(u, 0x35400003u) + cf_is_lanes(u, 0x3710001bu) + cf_is_lanes(u, 0x65d890d3u)
       + cf_is_lanes(u, 0x6f31a8ecu) + cf_is_lanes(u, 0xbb0ec8c4u) - cf_is_lanes(u, 0x3efd81adu)
       - cf_is_lanes(u, 0x41078febu) - cf_is_lanes(u, 0xb53ffffdu) - cf_is_lanes(u, 0xb70fffe5u);
    o = cf_choose((cf_u32s)(u == CF_INF), u, o);
    o = cf_choose(cf_not((cf_u32s)(x >= -1.0f)), (cf_u32s){} + CF_NAN, o);
    return (cf_f32s)cf_choose((cf_u32s)(x == -1.0f), (cf_u32s){} + (CF_SIGN | CF_INF), o);
}

#endif
