//@ kernel atan f64 D=D
//@ kernel atan2 f64 D=DD
//@ kernel asin acos f64 D=D
#ifndef CF_MATH64_ATAN_H
#define CF_MATH64_ATAN_H

#include "pair.h"

/* pi / 2 */
#define CF64_HALF_PI_H 0x1.921fb54442d18p+0
#define CF64_HALF_PI_L 0x1.1a62633145c07p-54

/* atan(j/64) */
static const double cf64_atan_table[65][2] = {
    {0x0p+0, 0x0p+0}, {0x1.fff555bbb729bp-7, -0x1.220c39d4dff5p-61}, {0x1.ffd55bba97625p-6, -0x1.5ec431444912cp-60},
    {0x1.7fb818430da2ap-5, -0x1.86ef8f794f105p-63}, {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60}, {0x1.3f59f0e7c559dp-4, 0x1.ac4ce285df847p-58},
    {0x1.7ee182602f10fp-4, -0x1.cfb654c0c3d98p-58}, {0x1.be39ebe6f07c3p-4, 0x1.f7b8f29a05987p-58}, {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.1e1fafb043727p-3, -0x1.b485914dacf8cp-59}, {0x1.3d6eee8c6626cp-3, 0x1.61a3b0ce9281bp-57}, {0x1.5c9811e3ec26ap-3, -0x1.054ab2c010f3dp-58},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58}, {0x1.9a6a8e96c8626p-3, 0x1.cf601e7b4348ep-59}, {0x1.b90d7529260a2p-3, 0x1.17b10d2e0e5abp-61},
    {0x1.d77d5df205736p-3, 0x1.c648d1534597ep-57}, {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57}, {0x1.09dc597d86362p-2, 0x1.62e47390cb865p-56},
    {0x1.18bf5a30bf178p-2, 0x1.30ca4748b1bf9p-57}, {0x1.278372057ef46p-2, -0x1.077cdd36dfc81p-56}, {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.44aa436c2af0ap-2, -0x1.5d5e43c55b3bap-56}, {0x1.530ad9951cd4ap-2, -0x1.2566480884082p-57}, {0x1.614840309cfe2p-2, -0x1.a725715711fp-56},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56}, {0x1.7d5604b63b3f7p-2, 0x1.69c885c2b249ap-56}, {0x1.8b24d394a1b25p-2, 0x1.b6d0ba3748fa8p-56},
    {0x1.98cd5454d6b18p-2, 0x1.9e6c988fd0a77p-56}, {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56}, {0x1.b3a911da65c6cp-2, 0x1.ae187b1ca504p-56},
    {0x1.c0db4c94ec9fp-2, -0x1.cc1ce70934c34p-56}, {0x1.cde53432c1351p-2, -0x1.a2cfa4418f1adp-56}, {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.e77eb7f175a34p-2, 0x1.0e53dc1bf3435p-56}, {0x1.f40dd0b541418p-2, -0x1.a3992dc382a23p-57}, {0x1.0039c73c1a40cp-1, -0x1.b32c949c9d593p-55},
    {0x1.0657e94db30dp-1, -0x1.d5b495f6349e6p-56}, {0x1.0c6145b5b43dap-1, 0x1.974fa13b5404fp-58}, {0x1.1255d9bfbd2a9p-1, -0x1.2bdaee1c0ee35p-58},
    {0x1.1835a88be7c13p-1, 0x1.c621cec00c301p-55}, {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58}, {0x1.23b71e2cc9e6ap-1, 0x1.c421c9f38224ep-57},
    {0x1.2958e59308e31p-1, -0x1.09e73b0c6c087p-56}, {0x1.2ee628406cbcap-1, 0x1.c5d5e9ff0cf8dp-55}, {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.39c391cd4171ap-1, -0x1.2304331d8bf46p-55}, {0x1.3f13fb89e96f4p-1, 0x1.ecf8b492644fp-56}, {0x1.445065b795b56p-1, -0x1.f76d0163f79c8p-56},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56}, {0x1.4e8de5bb6ec04p-1, 0x1.4a33dbeb3796cp-55}, {0x1.538f57b89061fp-1, -0x1.1bb74abda520cp-55},
    {0x1.587d81f732fbbp-1, -0x1.5e5c9d8c5a95p-56}, {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57}, {0x1.6220d115d7b8ep-1, -0x1.2b785350ee8c1p-57},
    {0x1.66d663923e087p-1, -0x1.6ea6febe8bbbap-56}, {0x1.6b798920b3d99p-1, -0x1.a80386188c50ep-55}, {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.748978fba8e0fp-1, 0x1.7b2a6165884a1p-59}, {0x1.78f6bbd5d315ep-1, 0x1.406a08980374p-55}, {0x1.7d528289fa093p-1, 0x1.560821e2f3aa9p-55},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56}, {0x1.85d69576cc2c5p-1, 0x1.6b66e7fc8b8c3p-57}, {0x1.89ff5ff57f1f8p-1, -0x1.55b9a5e177a1bp-55},
    {0x1.8e17aa99cc05ep-1, -0x1.ec182ab042f61p-56}, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

CF_INLINE cf_dd cf64_atan_pair(cf_dd n, cf_dd d) {
    double s = (n.h/d.h)*64 + 0x1.8p52;
    double c = (s - 0x1.8p52) * 0x1p-6;
    uint64_t j = cf_bits64(s) & 127;
    cf_dd cd = cf64_two_prod(c, d.h);
    cf_dd cn = cf64_two_prod(c, n.h);
    cf_dd num = cf64_plus(n, (cf_dd){-cd.h, -(cd.l + (c*d.l))});
    cf_dd den = cf64_plus(d, (cf_dd){cn.h, cn.l + (c*n.l)});
    cf_dd u = cf64_over(num, den);
    double z = (u.h * u.h);
    double p = ((u.h*z) * (-0x1.5555555555555p-2 + (z*(0x1.999999999999ap-3+(z*(-0x1.2492492492492p-3+(z*(0x1.c71c71c71c71cp-4+(z*-0x1.745d1745d1746p-4)))))))));
    cf_dd a = cf64_two_sum(cf64_atan_table[j][0], u.h);
    return cf64_fast_two_sum(a.h, a.l+(cf64_atan_table[j][1]+(u.l+p)));
}

CF_INLINE double cf64_angle(cf_dd y, cf_dd x) {
    cf_dd ax = x;
    if (x.h < 0) {
        ax = (cf_dd){-x.h, -x.l};
    }
    if (y.h > ax.h) {
        cf_dd t = cf64_atan_pair(ax, y);
        if (x.h < 0) {
            t = cf64_plus((cf_dd){CF64_HALF_PI_H, CF64_HALF_PI_L}, t);
        } else {
            t = cf64_plus((cf_dd){CF64_HALF_PI_H, CF64_HALF_PI_L}, (cf_dd){-t.h, -t.l});
        }
        return t.h + t.l;
    }
    cf_dd t = cf64_atan_pair(y, ax);
    if (x.h < 0) {
        t = cf64_plus((cf_dd){2 * CF64_HALF_PI_H, 2 * CF64_HALF_PI_L}, (cf_dd){-t.h, -t.l});
    }
    return t.h + t.l;
}

CF_INLINE double cf64_atan(double x) {
    double a = __builtin_fabs(x);
    if (a != a || a < 0x1p-28) {
        return x;
    }
    return __builtin_copysign(cf64_angle((cf_dd){cf64_clamp(a, 0, 0x1p60), 0}, (cf_dd){1, 0}), x);
}

CF_INLINE double cf64_atan2(double y, double x) {
    uint64_t ay = cf64_abs_bits(y);
    uint64_t ax = cf64_abs_bits(x);
    if (ay > CF64_INF || ax > CF64_INF) {
        return x + y;
    }
    if (ay == 0) {
        if (cf_bits64(x) == ax) {
            return y;
        }
        return __builtin_copysign(2*CF64_HALF_PI_H, y);
    }
    if (ay == CF64_INF || ax == CF64_INF) {
        ay = (ay >> 52) / 2047;
        ax = (ax >> 52) / 2047;
        double v = __builtin_copysign((double)((int64_t)(ax)), x);
        return __builtin_copysign(cf64_angle((cf_dd){(double)((int64_t)(ay)), 0}, (cf_dd){v, 0}), y);
    }
    if (ax == 0) {
        return __builtin_copysign(CF64_HALF_PI_H, y);
    }
    int64_t ey = cf64_exponent(ay);
    int64_t ex = cf64_exponent(ax);
    if (ex-ey > 60 && x > 0) {
        return y / x;
    }
    int64_t top = ey;
    if (ex > ey) {
        top = ex;
    }
    double sy = cf64_scaled(cf_f64(ay), -top);
    double sx = cf64_scaled(x, -top);
    if (ey-ex > 60) {
        sx = __builtin_copysign(0x1p-60, x);
    }
    if (ex-ey > 60) {
        sy = 0x1p-60;
    }
    return __builtin_copysign(cf64_angle((cf_dd){sy, 0}, (cf_dd){sx, 0}), y);
}

CF_INLINE cf_dd cf64_leg_of(double x) {
    cf_dd p = cf64_times(cf64_two_sum(1, -x), cf64_two_sum(1, x));
    if (p.h == 0) {
        return p;
    }
    return cf64_root(p);
}

CF_INLINE double cf64_asin(double x) {
    double a = __builtin_fabs(x);
    if (a < 0x1p-28) {
        return x;
    }
    if (!(a <= 1)) {
        return cf_f64(CF64_NAN);
    }
    return __builtin_copysign(cf64_angle((cf_dd){a, 0}, cf64_leg_of(x)), x);
}

CF_INLINE double cf64_acos(double x) {
    if (!(__builtin_fabs(x) <= 1)) {
        return cf_f64(CF64_NAN);
    }
    return cf64_angle(cf64_leg_of(x), (cf_dd){x, 0});
}

#endif
