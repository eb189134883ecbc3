//@ kernel cbrt f64 D=D
//@ kernel hypot f64 D=DD
#ifndef CF_MATH64_ROOT_H
#define CF_MATH64_ROOT_H

#include "pair.h"

CF_INLINE double cf64_cbrt(double x) {
    uint64_t u = cf64_abs_bits(x);
    if (u == 0 || u >= CF64_INF) {
        return x + x;
    }
    int64_t k = (int64_t)(cf64_exponent(u)+1200) / 3;
    double m = cf64_scaled(cf_f64(u), 1200-3*k);
    double y = 1 + ((m-1)*0x1.2492492492492p-3);
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        double c = ((y*y) * y);
        y = y * ((c+(m+m)) / ((c+c) + m));
    }
    cf_dd s = cf64_two_prod(y, y);
    cf_dd c = cf64_times(s, (cf_dd){y, 0});
    y = y - ((c.h-m)+c.l)/(3*s.h);
    return __builtin_copysign(cf64_scaled(y, k-400), x);
}

CF_INLINE double cf64_hypot(double x, double y) {
    uint64_t u = cf64_abs_bits(x);
    uint64_t v = cf64_abs_bits(y);
    if (u < v) {
        uint64_t t = u;
        u = v;
        v = t;
    }
    if (cf64_abs_bits(x) == CF64_INF || cf64_abs_bits(y) == CF64_INF) {
        return cf_f64(CF64_INF);
    }
    if (u > CF64_INF || v == 0) {
        return cf_f64(u);
    }
    int64_t e = cf64_exponent(u);
    if (e-cf64_exponent(v) > 60) {
        return cf_f64(u);
    }
    double a = cf64_scaled(cf_f64(u), -e);
    double b = cf64_scaled(cf_f64(v), -e);
    cf_dd r = cf64_root(cf64_plus(cf64_two_prod(a, a), cf64_two_prod(b, b)));
    return cf64_scaled(r.h+r.l, e);
}

#endif
