/* cf_atan: correctly rounded for all 2^32 inputs (proof/sweep.log).
 * cf_atan2(y, x): one definition in double for every target, at most 0.51 ULP
 * (proof/sample.log); special values as C99 F.9.1.4.
 *
 * Both divide the smaller of two magnitudes by the larger, w in [0,1]. With
 * c = j/8 nearest to w (a float division, for j only), atan(w) = atan(c) +
 * atan(t), t = (n - c d) / (d + c n): numerator and denominator are exact in
 * double, |t| <= 1/15.5, five terms.
 *
 * double before rounding: atan within 0.993 * 2^-53, atan2 within 2 * 2^-53
 * exceptional inputs of cf_atan: 1; tables: 288 bytes; no loop
 * two divisions, one float and one double
 * instructions, worst case (x86_64/AArch64): atan 80/86, atan2 97/98 */
//@ kernel atan f32 F=F
//@ kernel atan2 f32 F=FF
#ifndef CF_MATH_ATAN_H
#define CF_MATH_ATAN_H

#include "bits.h"

static const double cf_atan_table[18][2] = { /* high, low */
    /* atan(j/8) */
    {0x0.0p+0, 0x0.0p+0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    /* pi/2 - atan(j/8) */
    {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
    {0x1.7249faa996a21p+0, 0x1.a8cc1e7480c68p-54},
    {0x1.5368c951e9cfdp+0, -0x1.96f47948a99f1p-54},
    {0x1.3647503caf55cp+0, 0x1.17e21d9a42c9ap-55},
    {0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54},
    {0x1.031f57e54adbep+0, 0x1.338b4259c0270p-54},
    {0x1.dac670561bb4fp-1, 0x1.a2b7f222f65e2p-55},
    {0x1.b434ee31013fdp-1, -0x1.0520d0701d877p-55},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan(n/d) for 0 <= n <= d, d > 0 and finite; or pi/2 - atan(n/d) when
 * complement is 1. */
CF_INLINE double cf_atan_core(float n, float d, int complement) {
    float w = n / d;
    int32_t j = (int32_t)(w * 8.0f + 0.5f);
    double c = (double)j * 0.125, nd = (double)n, dd = (double)d;
    double t = (nd - c * dd) / (dd + c * nd); /* both exact before the division */
    t = complement ? -t : t;
    const double *base = cf_atan_table[(uint32_t)j + (complement ? 9u : 0u)];
    double z = t * t, z2 = z * z;
    double p = (-0x1.555555555552bp-2 + z * 0x1.9999999953411p-3)
             + z2 * ((-0x1.249247f4aad9ap-3 + z * 0x1.c717f713376b9p-4)
                     + z2 * -0x1.7085d4c0325c2p-4);
    return base[0] + (t + (base[1] + (t * z) * p));
}

CF_INLINE float cf_atan(float x) {
    uint32_t u = cf_bits32(x), ax = u & CF_ABS;
    uint32_t ac = ax > 0x53800000u ? 0x53800000u : ax; /* 2^40 and beyond: pi/2 */
    int complement = ac > CF_ONE;
    float n = cf_f32(complement ? CF_ONE : ac), d = cf_f32(complement ? ac : CF_ONE);
    uint32_t o = cf_bits32((float)cf_atan_core(n, d, complement));
    o = (o + cf_is(ax, 0x3d8d6b23u)) | (u & CF_SIGN);
    return cf_f32(ax > CF_INF ? CF_NAN : o);
}

CF_INLINE float cf_atan2(float y, float x) {
    uint32_t uy = cf_bits32(y), ux = cf_bits32(x);
    uint32_t ay = uy & CF_ABS, ax = ux & CF_ABS;
    int steep = ay > ax;
    uint32_t n = steep ? ax : ay, d = steep ? ay : ax;
    /* 0/0 counts as 0/1, inf/inf as 1/1, finite/inf as 0/1 */
    uint32_t nc = d >= CF_INF ? (n >= CF_INF ? CF_ONE : 0u) : n;
    uint32_t dc = (d >= CF_INF || d == 0u) ? CF_ONE : d;
    double a = cf_atan_core(cf_f32(nc), cf_f32(dc), steep);
    double b = 0x1.921fb54442d18p+1 - (a - 0x1.1a62633145c07p-53); /* pi - a */
    uint32_t o = cf_bits32((float)((ux & CF_SIGN) ? b : a)) | (uy & CF_SIGN);
    return cf_f32(d > CF_INF ? CF_NAN : o);
}

#endif
