//@ kernel sin cos tan f64 D=D
#ifndef CF_MATH64_TRIG_H
#define CF_MATH64_TRIG_H

#include "pair.h"

/* pi / 2 */
#define CF64_HALF_PI_H 0x1.921fb54442d18p+0
#define CF64_HALF_PI_L 0x1.1a62633145c07p-54

/* A number of quarter turns, modulo 4, and the rest of an angle. */
typedef struct {
    uint64_t n;
    cf_dd r;
} cf_turns;

/* 64 zeros and then the first 1184 bits of 2/pi. */
static const uint32_t cf64_two_over_pi[39] = {
    0x00000000u, 0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
    0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu,
    0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,
    0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u,
};

CF_INLINE cf_turns cf64_reduce(uint64_t u) {
    if (u <= 0x3fe921fb54442d18u) {
        return (cf_turns){0, (cf_dd){cf_f64(u), 0}};
    }
    int64_t e = (int64_t)(u>>52) - 1075 + 62;
    uint64_t s = (uint64_t)(e) >> 5;
    uint64_t sh = (uint64_t)(e&31) + 2;
    uint64_t m = (u & 0xfffffffffffffu) | 0x10000000000000u;
    uint64_t m0 = (m << sh) & 0xffffffffu;
    uint64_t m1 = (m << sh) >> 32;
    uint64_t m2 = m >> (64 - sh);
    uint64_t p[10] = {0};
#pragma GCC unroll 7
    for (int i = 0; i < 7; i++) {
        uint64_t w = (uint64_t)(cf64_two_over_pi[(s+6)-(uint64_t)(i)]);
        uint64_t a = (uint64_t)(w * m0);
        uint64_t b = (uint64_t)(w * m1);
        uint64_t c = (uint64_t)(w * m2);
        p[i] += a & 0xffffffffu;
        p[i+1] += (a >> 32) + (b & 0xffffffffu);
        p[i+2] += (b >> 32) + (c & 0xffffffffu);
        p[i+3] += c >> 32;
    }
#pragma GCC unroll 7
    for (int i = 0; i < 7; i++) {
        p[i+1] += p[i] >> 32;
        p[i] &= 0xffffffffu;
    }
    uint64_t q = p[7] & 3;
    uint64_t f0 = (p[6] << 32) | p[5];
    uint64_t f1 = (p[4] << 32) | p[3];
    uint64_t f2 = (p[2] << 32) | p[1];
    double sign = 1.0;
    if (f0>>63 != 0) {
        q = q + 1;
        sign = -1;
        f0 = ~f0;
        f1 = ~f1;
        f2 = ~f2;
    }
    double d0 = (double)((int64_t)(f0>>16)) * 0x1p-48;
    double d1 = (double)((int64_t)(((f0<<32)|(f1>>32))&0xffffffffffffu)) * 0x1p-96;
    double d2 = (double)((int64_t)(((f1<<16)|(f2>>48))&0xffffffffffffu)) * 0x1p-144;
    double d3 = (double)((int64_t)(f2&0xffffffffffffu)) * 0x1p-192;
    cf_dd a = cf64_fast_two_sum(d2, d3);
    cf_dd b = cf64_fast_two_sum(d1, a.h);
    cf_dd c = cf64_fast_two_sum(d0, b.h);
    cf_dd f = cf64_fast_two_sum(c.h, c.l+(b.l+a.l));
    cf_dd r = cf64_times(f, (cf_dd){CF64_HALF_PI_H, CF64_HALF_PI_L});
    return (cf_turns){q & 3, (cf_dd){sign * r.h, sign * r.l}};
}

CF_INLINE cf_dd cf64_sin_pair(cf_dd r) {
    cf_dd z = cf64_two_prod(r.h, r.h);
    double zl = z.l + 2*(r.h*r.l);
    cf_dd c = cf64_two_prod(z.h, r.h);
    double cl = c.l + ((z.h*r.l) + (zl*r.h));
    cf_dd t = cf64_two_prod(c.h, -0x1.5555555555555p-3);
    double tl = t.l + ((c.h*-0x1.5555555555555p-57) + (cl*-0x1.5555555555555p-3));
    double u = ((c.h*z.h) * (0x1.1111111111111p-7 + (z.h*(-0x1.a01a01a01a01ap-13+(z.h*(0x1.71de3a556c734p-19+(z.h*(-0x1.ae64567f544e4p-26+(z.h*(0x1.6124613a86d09p-33+(z.h*(-0x1.ae7f3e733b81fp-41+(z.h*0x1.952c77030ad4ap-49)))))))))))));
    cf_dd a = cf64_fast_two_sum(r.h, t.h);
    return cf64_fast_two_sum(a.h, a.l+(r.l+(tl+u)));
}

CF_INLINE cf_dd cf64_cos_pair(cf_dd r) {
    cf_dd z = cf64_two_prod(r.h, r.h);
    double zl = z.l + 2*(r.h*r.l);
    double u = ((z.h*z.h) * (0x1.5555555555555p-5 + (z.h*(-0x1.6c16c16c16c17p-10+(z.h*(0x1.a01a01a01a01ap-16+(z.h*(-0x1.27e4fb7789f5cp-22+(z.h*(0x1.1eed8eff8d898p-29+(z.h*(-0x1.93974a8c07c9dp-37+(z.h*(0x1.ae7f3e733b81fp-45+(z.h*-0x1.6827863b97d97p-53)))))))))))))));
    cf_dd a = cf64_fast_two_sum(1, -0.5*z.h);
    return cf64_fast_two_sum(a.h, a.l+(u-0.5*zl));
}

CF_INLINE double cf64_sin_of(uint64_t n, cf_dd r) {
    cf_dd s = cf64_sin_pair(r);
    if ((n & 1) != 0) {
        s = cf64_cos_pair(r);
    }
    double v = s.h + s.l;
    if ((n & 2) != 0) {
        return -v;
    }
    return v;
}

CF_INLINE double cf64_sin(double x) {
    uint64_t u = cf64_abs_bits(x);
    if (u >= CF64_INF) {
        return x - x;
    }
    if (u < 0x3e40000000000000u) {
        return x;
    }
    cf_turns t = cf64_reduce(u);
    double v = cf64_sin_of(t.n, t.r);
    if (x < 0) {
        return -v;
    }
    return v;
}

CF_INLINE double cf64_cos(double x) {
    uint64_t u = cf64_abs_bits(x);
    if (u >= CF64_INF) {
        return x - x;
    }
    cf_turns t = cf64_reduce(u);
    return cf64_sin_of(t.n+1, t.r);
}

CF_INLINE double cf64_tan(double x) {
    uint64_t u = cf64_abs_bits(x);
    if (u >= CF64_INF) {
        return x - x;
    }
    if (u < 0x3e40000000000000u) {
        return x;
    }
    cf_turns t = cf64_reduce(u);
    cf_dd s = cf64_sin_pair(t.r);
    cf_dd c = cf64_cos_pair(t.r);
    cf_dd q = cf64_over(s, c);
    if ((t.n & 1) != 0) {
        q = cf64_over((cf_dd){-c.h, -c.l}, s);
    }
    double v = q.h + q.l;
    if (x < 0) {
        return -v;
    }
    return v;
}

#endif
