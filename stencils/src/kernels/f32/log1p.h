/* cf_log1p: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * log.h applied to 1+x rounded to double, 2^k m; r = (1+x) 2^-k/c - 1 is taken
 * from x itself, so that nothing of a small x is lost.
 *
 * double before rounding: within 0.62 * 2^-53; exceptional inputs: 9
 * tables: 256 bytes; no loop
 * instructions, worst case (x86_64/AArch64): log1p 127/147 */
//@ kernel log1p f32 F=F
#ifndef CF_MATH_LOG1P_H
#define CF_MATH_LOG1P_H

#include "bits.h"
#include "log.h"

CF_INLINE float cf_log1p(float x) {
    uint32_t u = cf_bits32(x);
    double k, m, xd = (double)x, w = 1.0 + xd;
    uint64_t i = cf_log_reduce(w, &k, &m);
    double f = cf_log_table[i][0] * cf_f64(cf_bits64(m) - cf_bits64(w) + 0x3ff0000000000000u);
    double r = (f - 1.0) + xd * f;
    double h = k * 0x1.62e42fefa3a00p-1 + cf_log_table[i][1];
    double s = h + r, e = (h - s) + r;
    double y = s + (e + (k * -0x1.0ca86c3898d00p-49 + cf_log_tail(r)));
    uint32_t o = (cf_bits32((float)y) & CF_ABS) | (u & CF_SIGN);
    o += cf_is(u, 0x35400003u) + cf_is(u, 0x3710001bu) + cf_is(u, 0x65d890d3u)
       + cf_is(u, 0x6f31a8ecu) + cf_is(u, 0xbb0ec8c4u) - cf_is(u, 0x3efd81adu)
       - cf_is(u, 0x41078febu) - cf_is(u, 0xb53ffffdu) - cf_is(u, 0xb70fffe5u);
    uint32_t special = u == CF_INF ? CF_INF : CF_NAN;
    special = u == 0xbf800000u ? CF_SIGN | CF_INF : special;
    uint32_t outside = (uint32_t)(u >= 0xbf800000u)          /* x <= -1, or NaN */
                     | (uint32_t)(u - CF_INF < 0x00800000u); /* inf, NaN */
    return cf_f32(outside ? special : o);
}

#endif
