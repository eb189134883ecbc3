/* cf_sin, cf_cos, cf_sincos for targets without lanes of doubles: operation by
 * operation what trig.h does in a lane, so the same doubles and the same doubt, but
 * only the polynomial that is asked for. Equal to trig.h for all 2^32 inputs
 * (proof/: make scalar). Included by trig.h only. */
#ifndef CF_MATH_TRIG_SCALAR_H
#define CF_MATH_TRIG_SCALAR_H

/* Number of quarter turns in |x| < 2^20, in the low two bits, and |x| less these. */
CF_INLINE uint32_t cf_reduce_short(float x, double *r) {
    double a = (double)__builtin_fabsf(x);
    *r = a;
    if ((cf_bits32(x) & CF_ABS) <= CF_PIO4_BELOW) return 0;
    double t = a * 0x1.45f306dc9c883p-1 + 0x1.8p52;
    double n = t - 0x1.8p52;
    *r = (a - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
    return (uint32_t)cf_bits64(t);
}

/* c1 to c5 of the sine and of the cosine */
static const double cf_short_terms[2][5] = {
    {-0x1.5555555552239p-3, 0x1.1111110c8733ap-7, -0x1.a019f93968d43p-13, 0x1.71d76d16431fap-19, -0x1.a961a159ef7b5p-26},
    {-0x1.ffffffffe98afp-2, 0x1.55555545c5145p-5, -0x1.6c16b348bb259p-10, 0x1.a00eb9ae8179dp-16, -0x1.23c97e3986d40p-22},
};

/* The sine of the reduced argument, or its cosine where odd is 1. */
CF_INLINE double cf_short_polynomial(double r, uint32_t odd) {
    const double *c = cf_short_terms[odd];
    double lead = odd ? 1.0 : r, z = r * r, z2 = z * z;
    double low = (lead + (lead * c[0]) * z) + (lead * c[1]) * z2;
    return low + ((lead * z) * z2) * ((c[2] + c[3] * z) + c[4] * z2);
}

/* The sine of x, or its cosine where cosine is 1: a sine one quarter turn ahead,
 * whatever the sign of x. */
CF_INLINE float cf_sin_or_cos(float x, uint32_t cosine) {
    if (__builtin_expect((cf_bits32(x) & CF_ABS) < CF_SHORT_WAY_END, 1)) {
        double r;
        uint32_t q = cf_reduce_short(x, &r) + cosine;
        double y = cf_short_polynomial(r, q & 1u);
        uint32_t sign = ((q & 2u) << 30) ^ (cosine ? 0u : cf_bits32(x) & CF_SIGN);
        if (__builtin_expect(!cf_doubtful(cf_bits64(y)), 1)) return cf_f32(cf_bits32((float)y) ^ sign);
    }
    float s, c;
    cf_sincos_wide(x, &s, &c);
    return cosine ? c : s;
}

CF_INLINE float cf_sin(float x) {
    return cf_sin_or_cos(x, 0);
}

CF_INLINE float cf_cos(float x) {
    return cf_sin_or_cos(x, 1);
}

CF_INLINE void cf_sincos(float x, float *sine, float *cosine) {
    if (__builtin_expect((cf_bits32(x) & CF_ABS) < CF_SHORT_WAY_END, 1)) {
        double r;
        uint32_t q = cf_reduce_short(x, &r);
        double s = cf_short_polynomial(r, 0), c = cf_short_polynomial(r, 1);
        if (__builtin_expect(!(cf_doubtful(cf_bits64(s)) | cf_doubtful(cf_bits64(c))), 1)) {
            uint32_t us = cf_bits32((float)s), uc = cf_bits32((float)c), odd = 0u - (q & 1u);
            uint32_t sign = ((q & 2u) << 30) ^ (cf_bits32(x) & CF_SIGN);
            *sine = cf_f32(((us & ~odd) | (uc & odd)) ^ sign);
            *cosine = cf_f32(((uc & ~odd) | (us & odd)) ^ (((q + 1u) & 2u) << 30));
            return;
        }
    }
    cf_sincos_wide(x, sine, cosine);
}

#endif
