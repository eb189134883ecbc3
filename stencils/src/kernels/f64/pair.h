/* Arithmetic on pairs of doubles, and on the bits of doubles. No operation is fused or
 * reordered: package math64 of the compiler has the same steps in Go, and a test holds the
 * results of both together bit for bit. */
#ifndef CF_MATH64_PAIR_H
#define CF_MATH64_PAIR_H

#include "../f32/bits.h"

/* The sum of two doubles, h the nearest double to it. */
typedef struct {
    double h, l;
} cf_dd;

#define CF64_ONE 0x3ff0000000000000u
#define CF64_INF 0x7ff0000000000000u
#define CF64_NAN 0x7ff8000000000000u /* the one NaN that leaves a kernel */

CF_INLINE cf_dd cf64_two_sum(double a, double b) {
    double s = a + b;
    double t = s - a;
    return (cf_dd){s, (a - (s - t)) + (b - t)};
}

CF_INLINE cf_dd cf64_fast_two_sum(double a, double b) {
    double s = a + b;
    return (cf_dd){s, b - (s - a)};
}

CF_INLINE cf_dd cf64_two_prod(double a, double b) {
    double p = (a * b);
    double as = (a * 0x1.0000002p27);
    double bs = (b * 0x1.0000002p27);
    double ah = as - (as - a);
    double bh = bs - (bs - b);
    double al = a - ah;
    double bl = b - bh;
    return (cf_dd){p, (((ah*bh) - p) + ((ah*bl) + (al*bh))) + (al*bl)};
}

CF_INLINE cf_dd cf64_times(cf_dd a, cf_dd b) {
    cf_dd p = cf64_two_prod(a.h, b.h);
    return cf64_fast_two_sum(p.h, p.l+((a.h*b.l)+(a.l*b.h)));
}

CF_INLINE cf_dd cf64_plus(cf_dd a, cf_dd b) {
    cf_dd s = cf64_two_sum(a.h, b.h);
    return cf64_fast_two_sum(s.h, s.l+(a.l+b.l));
}

CF_INLINE cf_dd cf64_over(cf_dd a, cf_dd b) {
    double q = a.h / b.h;
    cf_dd p = cf64_two_prod(q, b.h);
    return cf64_fast_two_sum(q, ((a.h-p.h)+((a.l-p.l)-(q*b.l)))/b.h);
}

CF_INLINE cf_dd cf64_root(cf_dd a) {
    double s = __builtin_sqrt(a.h);
    cf_dd p = cf64_two_prod(s, s);
    return cf64_fast_two_sum(s, ((a.h-p.h)+(a.l-p.l))/(s+s));
}

CF_INLINE double cf64_power2(int64_t n) {
    return cf_f64((uint64_t)(n+1023) << 52);
}

CF_INLINE double cf64_scaled(double x, int64_t n) {
    int64_t half = n >> 1;
    return ((x*cf64_power2(half)) * cf64_power2(n-half));
}

CF_INLINE uint64_t cf64_abs_bits(double x) {
    return cf_bits64(x) & 0x7fffffffffffffffu;
}

CF_INLINE double cf64_clamp(double x, double low, double high) {
    if (x < low) {
        return low;
    }
    if (x > high) {
        return high;
    }
    return x;
}

CF_INLINE int64_t cf64_exponent(uint64_t u) {
    if (u < 0x10000000000000u) {
        return (int64_t)(cf_bits64(cf_f64(u)*0x1p54)>>52) - 1077;
    }
    return (int64_t)(u>>52) - 1023;
}

#endif
