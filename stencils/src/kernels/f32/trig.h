/* cf_sin, cf_cos, cf_sincos: correctly rounded for all 2^32 inputs
 * (proof/sweep.log). cf_tan is in trig_wide.h.
 *
 * Below 2^20 a short way, made for latency: the two lanes of a vector hold the
 * sine and the cosine of the reduced argument r, |r| <= pi/4, at once.
 *   |x| <= pi/4: r = |x|. Else r = |x| - n pi/2 with pi/2 in two parts: n times
 *   the head (33 bits) and the difference are exact. |r| is never below 2^-27.9
 *   (all such floats were tried), its relative error never above 2^-39.7.
 *   Polynomials: relative error 2^-47.5 (sine), 2^-43.6 (cosine).
 * Both doubles are thus within 2^14 units of their last place. Where one lies
 * that near to the middle between two floats, about one input in 2^13, its
 * rounding is in doubt; these and all |x| >= 2^20 take trig_wide.h, which is
 * proven by itself. So no input of the short way needs an exception.
 *
 * The branches (pi/4, 2^20, doubt) depend on the data, the work is bounded: the
 * worst case is a doubtful input, the sum of both ways. cf_sincos_wide alone has
 * one path for all inputs and vectorises.
 * tables: 120 bytes (trig_wide.h); no loop
 * instructions, worst case (x86_64/AArch64): sin 257/268, cos 226/245, sincos 258/270 */
//@ kernel sin cos tan f32 F=F
#ifndef CF_MATH_TRIG_H
#define CF_MATH_TRIG_H

#include "bits.h"
#include "trig_wide.h"

#define CF_SHORT_WAY_END 0x49800000u /* 2^20 */
#define CF_PIO4_BELOW    0x3f490fdau /* the last float below pi/4 */
#define CF_DOUBT         0x4000u     /* units in the last place of a double */

/* Whether a double lies within CF_DOUBT units of the middle of two floats, that
 * is, its last 29 bits that near to 10...0. */
CF_INLINE int cf_doubtful(uint64_t bits) {
    return ((bits - 0x10000000u + CF_DOUBT) & 0x1fffffffu) < 2 * CF_DOUBT;
}

/* Without lanes of doubles: trig_scalar.h, the same operations one after the other. */
#if (defined(__SSE2__) || defined(__aarch64__)) && !defined(CF_MATH_SCALAR)
#define CF_MATH_LANES

typedef double cf_f64x2 __attribute__((vector_size(16)));
typedef float cf_f32x2 __attribute__((vector_size(8)));
typedef float cf_f32x4 __attribute__((vector_size(16)));
typedef uint32_t cf_u32x4 __attribute__((vector_size(16)));
typedef uint64_t cf_u64x2 __attribute__((vector_size(16)));

/* Both lanes rounded to float, in the two low lanes. */
CF_INLINE cf_u32x4 cf_narrow(cf_f64x2 y) {
#ifdef __SSE2__ /* GCC's general form has three moves more, in the critical path */
    return (cf_u32x4)__builtin_ia32_cvtpd2ps(y);
#else
    cf_f32x2 f = __builtin_convertvector(y, cf_f32x2);
    return (cf_u32x4)__builtin_shufflevector(f, f, 0, 1, 0, 1);
#endif
}

/* Sine and cosine of x, |x| < 2^20, in the low lanes; returns 0 when in doubt. */
CF_INLINE int cf_sincos_short(float x, cf_u32x4 *result) {
    double r = (double)__builtin_fabsf(x);
    cf_u32x4 q = {0, 0, 0, 0}; /* quarter turns, low two bits, in lanes 0 and 1 */
    if ((cf_bits32(x) & CF_ABS) > CF_PIO4_BELOW) {
        double t = r * 0x1.45f306dc9c883p-1 + 0x1.8p52;
        double n = t - 0x1.8p52;
        cf_f64x2 tt = {t, t};
        q = __builtin_shuffle((cf_u32x4)tt, (cf_u32x4){0, 0, 0, 0});
        r = (r - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
    }

    /* lane 0: r + c1 r^3 + ... + c5 r^11; lane 1: 1 + c1 r^2 + ... + c5 r^10 */
    const cf_f64x2 c1 = {-0x1.5555555552239p-3, -0x1.ffffffffe98afp-2};
    const cf_f64x2 c2 = {0x1.1111110c8733ap-7, 0x1.55555545c5145p-5};
    const cf_f64x2 c3 = {-0x1.a019f93968d43p-13, -0x1.6c16b348bb259p-10};
    const cf_f64x2 c4 = {0x1.71d76d16431fap-19, 0x1.a00eb9ae8179dp-16};
    const cf_f64x2 c5 = {-0x1.a961a159ef7b5p-26, -0x1.23c97e3986d40p-22};
    cf_f64x2 rr = {r, r}, lead = {r, 1.0}, z = rr * rr, z2 = z * z;
    cf_f64x2 low = (lead + (lead * c1) * z) + (lead * c2) * z2;
    cf_f64x2 y = low + ((lead * z) * z2) * ((c3 + c4 * z) + c5 * z2);

    /* odd quarter turns swap the lanes; signs of sine and cosine by quarter turn */
    cf_u32x4 even = cf_narrow(y);
    cf_u32x4 swapped = __builtin_shuffle(even, (cf_u32x4){1, 0, 2, 3});
    cf_u32x4 odd = -(q & 1u);
    cf_u32x4 sign = ((q + (cf_u32x4){0, 1, 0, 0}) & 2u) << 30;
    sign ^= (cf_u32x4)(cf_f32x4){x, 0, 0, 0} & CF_SIGN;
    *result = ((even & ~odd) ^ sign) ^ (swapped & odd);
    cf_u64x2 bits = (cf_u64x2)y;
    return !(cf_doubtful(bits[0]) | cf_doubtful(bits[1]));
}

/* Sine and cosine in lanes 0 and 1. */
CF_INLINE cf_u32x4 cf_sincos_lanes(float x) {
    cf_u32x4 lanes;
    int is_short = (cf_bits32(x) & CF_ABS) < CF_SHORT_WAY_END;
    if (__builtin_expect(is_short && cf_sincos_short(x, &lanes), 1)) return lanes;
    float s, c;
    cf_sincos_wide(x, &s, &c);
    return (cf_u32x4)(cf_f32x4){s, c, 0, 0};
}

CF_INLINE float cf_sin(float x) {
    return cf_f32(cf_sincos_lanes(x)[0]);
}

CF_INLINE float cf_cos(float x) {
    return cf_f32(cf_sincos_lanes(x)[1]);
}

CF_INLINE void cf_sincos(float x, float *sine, float *cosine) {
    cf_u32x4 lanes = cf_sincos_lanes(x);
    *sine = cf_f32(lanes[0]);
    *cosine = cf_f32(lanes[1]);
}

#else
#include "trig_scalar.h"
#endif

#endif
