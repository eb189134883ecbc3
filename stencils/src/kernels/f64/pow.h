//@ kernel pow f64 D=DD
#ifndef CF_MATH64_POW_H
#define CF_MATH64_POW_H

#include "exp.h"
#include "log.h"

CF_INLINE uint64_t cf64_integer_kind(double y) {
    uint64_t u = cf64_abs_bits(y);
    uint64_t e = u >> 52;
    if (e < 1023) {
        return 0;
    }
    if (e > 1075) {
        return 2;
    }
    uint64_t s = 1075 - e;
    uint64_t m = (u & 0xfffffffffffffu) | 0x10000000000000u;
    if ((m & (((uint64_t)(1) << s) - 1)) != 0) {
        return 0;
    }
    return 2 - ((m >> s) & 1);
}

CF_INLINE double cf64_pow_finite(double a, double y) {
    cf_dd l = cf64_log_pair((cf_dd){a, 0});
    cf_dd t = cf64_two_prod(cf64_clamp(y, -0x1p80, 0x1p80), l.h);
    double th = cf64_clamp(t.h, -746, 710);
    double tl = 0.0;
    if (th == t.h) {
        tl = t.l + (y*l.l);
    }
    return cf64_exp_scaled((cf_dd){th, tl}, 0);
}

CF_INLINE double cf64_pow(double x, double y) {
    uint64_t ax = cf64_abs_bits(x);
    uint64_t ay = cf64_abs_bits(y);
    if (ay == 0 || cf_bits64(x) == CF64_ONE) {
        return 1;
    }
    if (ax > CF64_INF || ay > CF64_INF) {
        return x + y;
    }
    if (ay == CF64_INF) {
        if (ax == CF64_ONE) {
            return 1;
        }
        if ((ax > CF64_ONE) == (y > 0)) {
            return cf_f64(CF64_INF);
        }
        return 0;
    }
    uint64_t kind = cf64_integer_kind(y);
    double sign = 1.0;
    if (x < 0 && kind == 0 && ax != CF64_INF) {
        return cf_f64(CF64_NAN);
    }
    if (cf_bits64(x) != ax && kind == 1) {
        sign = -1;
    }
    if (ax == 0 || ax == CF64_INF) {
        if ((ax == 0) == (y > 0)) {
            return __builtin_copysign(0, sign);
        }
        return __builtin_copysign(cf_f64(CF64_INF), sign);
    }
    return __builtin_copysign(cf64_pow_finite(cf_f64(ax), y), sign);
}

#endif
