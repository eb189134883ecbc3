/* cf_sincos_wide, cf_tan: every argument by one path, in a form that vectorises;
 * correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * Reduction by integers (Payne-Hanek): the 24-bit significand times a 128-bit
 * window of 2/pi, four 32x32->64 products. The table holds overlapping words, one
 * per byte offset, so that only the significand is shifted. The fraction of a
 * quarter turn, signed, is split into 32 bits (times a 21-bit head of pi/2:
 * exact) and the next 52; the reduced argument is the sum rh + rl, not rounded.
 * Then odd and even polynomials of 6 terms (relative error 2^-57.9, 2^-63.9).
 *
 * double before rounding, in 2^-53: sine within 0.81, cosine 0.87, tangent 2.1
 * exceptional inputs: sine 1, cosine 2, tangent none
 * tables: 120 bytes; no loop; tangent: one division
 * instructions, worst case (x86_64/AArch64): tan 141/139 */
#ifndef CF_MATH_TRIG_WIDE_H
#define CF_MATH_TRIG_WIDE_H

#include "bits.h"

/* 32-bit windows, one per byte offset, of (0, then the first 224 bits of 2/pi) */
static const uint32_t cf_two_over_pi[30] = {
    0x00000000u, 0x00000000u, 0x000000a2u, 0x0000a2f9u, 0x00a2f983u, 0xa2f9836eu,
    0xf9836e4eu, 0x836e4e44u, 0x6e4e4415u, 0x4e441529u, 0x441529fcu, 0x1529fc27u,
    0x29fc2757u, 0xfc2757d1u, 0x2757d1f5u, 0x57d1f534u, 0xd1f534ddu, 0xf534ddc0u,
    0x34ddc0dbu, 0xddc0db62u, 0xc0db6295u, 0xdb629599u, 0x6295993cu, 0x95993c43u,
    0x993c4390u, 0x3c439041u, 0x439041feu, 0x9041fe51u, 0x41fe5163u, 0xfe5163abu,
};

/* |x| = q*(pi/2) + rh + rl (mod 2pi), |rh+rl| <= pi/4, for 2^-13 <= |x|; ax is
 * the bits of |x|. Smaller |x| are moved into [2^-13, 2^-12), where the cosine
 * rounds to 1 and the callers replace sine and tangent by x.
 * 24-bit significand times a 128-bit window of 2/pi: 126 fraction bits, of which
 * 95 are right for every finite x. */
CF_INLINE uint32_t cf_trig_reduce(uint32_t ax, double *rh, double *rl) {
    uint32_t e = ax >> 23, s = (e < 114u ? 114u : e) - 112u; /* 2..142 (143: inf, NaN) */
    uint32_t j = s >> 3, m = ((ax & 0x7fffffu) | 0x800000u) << (s & 7u);
    const uint32_t *w = cf_two_over_pi + j;
    uint64_t p3 = (uint64_t)m * w[12];
    uint64_t p2 = (uint64_t)m * w[8] + (p3 >> 32);
    uint64_t p1 = (uint64_t)m * w[4] + (p2 >> 32);
    uint32_t hi = m * w[0] + (uint32_t)(p1 >> 32);
    uint64_t v = (p1 << 32) | (uint32_t)p2;                /* the 64 bits below hi */
    uint32_t f = (hi << 2) | ((uint32_t)p1 >> 30);         /* quarter turn / 2^32, signed */
    double y = (double)(int32_t)f;                         /* exact */
    double yl = cf_f64(((v << 2) >> 12) | 0x3df0000000000000u) - 0x1p-32; /* next 52 bits */
    *rh = y * 0x1.921fbp-32;                               /* 31 + 21 bits: exact */
    *rl = y * 0x1.5110b4611a626p-54 + yl * 0x1.921fb54442d18p+0;
    return (hi >> 30) + (f >> 31);
}

/* q odd ? odd : even, without a branch */
CF_INLINE double cf_pick(uint32_t q, double odd, double even) {
    uint64_t mask = 0u - (uint64_t)(q & 1u);
    return cf_f64((cf_bits64(odd) & mask) | (cf_bits64(even) & ~mask));
}

/* sine and cosine of rh+rl, each within 1 ulp of double */
CF_INLINE void cf_sincos_core(double rh, double rl, double *s, double *c) {
    double r = rh + rl, e = rl - (r - rh), z = r * r, z2 = z * z, z4 = z2 * z2;
    double h = 0.5 * z, w = 1.0 - h;
    double ps = ((-0x1.5555555555548p-3 + z * 0x1.111111110f754p-7)
                 + z2 * (-0x1.a01a019bf0511p-13 + z * 0x1.71de355d03e3bp-19))
              + z4 * (-0x1.ae5e529db6accp-26 + z * 0x1.5d8d9da8edf16p-33);
    double pc = ((0x1.555555555554bp-5 + z * -0x1.6c16c16c1500fp-10)
                 + z2 * (0x1.a01a019c8e109p-16 + z * -0x1.27e4f7f07b565p-22))
              + z4 * (0x1.1ee9dae41ea0ep-29 + z * -0x1.8fa5f6037afabp-37);
    *s = rh + (rl + (r * z) * ps);
    *c = w + ((((1.0 - w) - h) - r * e) + z2 * pc);
}

CF_INLINE void cf_sincos_wide(float x, float *sine, float *cosine) {
    uint32_t u = cf_bits32(x), ax = u & CF_ABS;
    double rh, rl, s, c;
    uint32_t q = cf_trig_reduce(ax, &rh, &rl);
    cf_sincos_core(rh, rl, &s, &c);
    uint32_t a = cf_bits32((float)cf_pick(q, c, s)) ^ ((q & 2u) << 30);
    uint32_t b = cf_bits32((float)cf_pick(q, s, c)) ^ (((q + 1u) & 2u) << 30);
    a = a - cf_is(ax, 0x46199998u);
    a = ax < 0x39800000u ? ax : a;
    b = b - cf_is(ax, 0x5f18b878u) + cf_is(ax, 0x6115cb11u);
    a ^= u & CF_SIGN;
    *sine = cf_f32(ax >= CF_INF ? CF_NAN : a);
    *cosine = cf_f32(ax >= CF_INF ? CF_NAN : b);
}

CF_INLINE float cf_tan(float x) {
    uint32_t u = cf_bits32(x), ax = u & CF_ABS;
    double rh, rl, s, c;
    uint32_t q = cf_trig_reduce(ax, &rh, &rl);
    cf_sincos_core(rh, rl, &s, &c);
    uint32_t o = cf_bits32((float)(cf_pick(q, c, s) / cf_pick(q, s, c))) ^ ((q & 1u) << 31);
    o = ax < 0x39800000u ? ax : o; /* |x| < 2^-12 */
    o ^= u & CF_SIGN;
    return cf_f32(ax >= CF_INF ? CF_NAN : o);
}

#endif
