//@ kernel exp exp2 expm1 sinh cosh tanh f64 D=D
#ifndef CF_MATH64_EXP_H
#define CF_MATH64_EXP_H

#include "pair.h"

/* ln 2 / 64 (the high part times an integer below 2^17 is exact) and ln 2. */
#define CF64_LN2_OVER64_H 0x1.62e42fef8p-7
#define CF64_LN2_OVER64_L 0x1.1cf79abc9e3b4p-42
#define CF64_LN2_H 0x1.62e42fefa39efp-1
#define CF64_LN2_L 0x1.abc9e3b39803fp-56

/* 2^(j/64) */
static const double cf64_exp_table[64][2] = {
    {0x1p+0, 0x0p+0}, {0x1.02c9a3e778061p+0, -0x1.19083535b085dp-56}, {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0874518759bc8p+0, 0x1.186be4bb284ffp-57}, {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54}, {0x1.0e3ec32d3d1a2p+0, 0x1.03a1727c57b53p-59},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54}, {0x1.1429aaea92dep+0, -0x1.32fbf9af1369ep-54}, {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1a35beb6fcb75p+0, 0x1.e5b4c7b4968e4p-55}, {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54}, {0x1.2063b88628cd6p+0, 0x1.dc775814a8495p-55},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54}, {0x1.26b4565e27cddp+0, 0x1.2bd339940e9d9p-55}, {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.2d285a6e4030bp+0, 0x1.0024754db41d5p-54}, {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55}, {0x1.33c08b26416ffp+0, 0x1.32721843659a6p-54},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54}, {0x1.3a7db34e59ff7p+0, -0x1.5e436d661f5e3p-56}, {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.4160a21f72e2ap+0, -0x1.ef3691c309278p-58}, {0x1.44e086061892dp+0, 0x1.89b7a04ef80dp-59}, {0x1.486a2b5c13cdp+0, 0x1.3c1a3b69062fp-56},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56}, {0x1.4f9b2769d2ca7p+0, -0x1.4b309d25957e3p-54}, {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.56f4736b527dap+0, 0x1.9bb2c011d93adp-54}, {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54}, {0x1.5e76f15ad2148p+0, 0x1.ba6f93080e65ep-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54}, {0x1.6623882552225p+0, -0x1.bb60987591c34p-54}, {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.6dfb23c651a2fp+0, -0x1.bbe3a683c88abp-57}, {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55}, {0x1.75feb564267c9p+0, -0x1.0245957316dd3p-54},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55}, {0x1.7e2f336cf4e62p+0, 0x1.05d02ba15797ep-56}, {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.868d99b4492edp+0, -0x1.fc6f89bd4f6bap-54}, {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54}, {0x1.8f1ae99157736p+0, 0x1.5cc13a2e3976cp-55},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57}, {0x1.97d829fde4e5p+0, -0x1.d185b7c1b85d1p-54}, {0x1.9c49182a3f09p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a0c667b5de565p+0, -0x1.359495d1cd533p-54}, {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54}, {0x1.a9e6b5579fdbfp+0, 0x1.0fac90ef7fd31p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54}, {0x1.b33a2b84f15fbp+0, -0x1.2805e3084d708p-57}, {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.bcc1e904bc1d2p+0, 0x1.23dd07a2d9e84p-55}, {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55}, {0x1.c67f12e57d14bp+0, 0x1.2884dff483cadp-54},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56}, {0x1.d072d4a07897cp+0, -0x1.cbc3743797a9cp-54}, {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.da9e603db3285p+0, 0x1.c2300696db532p-54}, {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54}, {0x1.e502ee78b3ff6p+0, 0x1.39e8980a9cc8fp-55},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54}, {0x1.efa1bee615a27p+0, 0x1.dc7f486a4b6bp-54}, {0x1.f50765b6e454p+0, 0x1.9d3e12dd8a18bp-54},
    {0x1.fa7c1819e90d8p+0, 0x1.74853f3a5931ep-55},
};

CF_INLINE cf_dd cf64_expm1_rest(cf_dd x, double n) {
    double a = x.h - (n*CF64_LN2_OVER64_H);
    cf_dd r = cf64_two_sum(a, -(n*CF64_LN2_OVER64_L));
    double rl = r.l + x.l;
    double z = (r.h * r.h);
    double q = (z*(0.5+(r.h*(0x1.5555555555555p-3+(r.h*(0x1.5555555555555p-5+(r.h*(0x1.1111111111111p-7+(r.h*(0x1.6c16c16c16c17p-10+(r.h*0x1.a01a01a01a01ap-13))))))))))) + (r.h*rl);
    return cf64_fast_two_sum(r.h, rl+q);
}

CF_INLINE cf_dd cf64_exp_times(uint64_t j, cf_dd e) {
    cf_dd t = (cf_dd){cf64_exp_table[j][0], cf64_exp_table[j][1]};
    cf_dd p = cf64_two_prod(t.h, e.h);
    cf_dd s = cf64_fast_two_sum(t.h, p.h);
    return cf64_fast_two_sum(s.h, s.l+(p.l+(t.l+(t.h*e.l))));
}

CF_INLINE double cf64_exp_steps(double x) {
    return (x*0x1.71547652b82fep+6) + 0x1.8p52;
}

CF_INLINE double cf64_exp_scaled(cf_dd x, int64_t up) {
    double s = cf64_exp_steps(x.h);
    double n = s - 0x1.8p52;
    cf_dd e = cf64_exp_times(cf_bits64(s)&63, cf64_expm1_rest(x, n));
    int64_t k = (int64_t)(cf_bits64(s)<<13) >> 19;
    return cf64_scaled(e.h+e.l, k+up);
}

CF_INLINE cf_dd cf64_expm1_pair(double x) {
    double s = cf64_exp_steps(x);
    double n = s - 0x1.8p52;
    cf_dd r = cf64_expm1_rest((cf_dd){x, 0}, n);
    if (n == 0) {
        return r;
    }
    cf_dd e = cf64_exp_times(cf_bits64(s)&63, r);
    int64_t k = (int64_t)(cf_bits64(s)<<13) >> 19;
    double p = cf64_power2(k);
    cf_dd a = cf64_two_sum((e.h*p), -1);
    return cf64_fast_two_sum(a.h, a.l+(e.l*p));
}

CF_INLINE double cf64_exp(double x) {
    return cf64_exp_scaled((cf_dd){cf64_clamp(x, -746, 710), 0}, 0);
}

CF_INLINE double cf64_exp2(double x) {
    double c = cf64_clamp(x, -1076, 1025);
    double s = (c*64) + 0x1.8p52;
    double f = c - ((s-0x1.8p52)*0x1p-6);
    cf_dd p = cf64_times((cf_dd){f, 0}, (cf_dd){CF64_LN2_H, CF64_LN2_L});
    cf_dd e = cf64_exp_times(cf_bits64(s)&63, cf64_expm1_rest(p, 0));
    return cf64_scaled(e.h+e.l, (int64_t)(cf_bits64(s)<<13)>>19);
}

CF_INLINE double cf64_expm1(double x) {
    if (x > 60) {
        return cf64_exp(x);
    }
    if (cf64_abs_bits(x) < 0x3c90000000000000u) {
        return x;
    }
    cf_dd e = cf64_expm1_pair(cf64_clamp(x, -60, 60));
    return e.h + e.l;
}

CF_INLINE double cf64_sinh(double x) {
    double a = __builtin_fabs(x);
    if (a > 40) {
        return __builtin_copysign(cf64_exp_scaled((cf_dd){cf64_clamp(a, 0, 720), 0}, -1), x);
    }
    if (a < 0x1p-28) {
        return x;
    }
    cf_dd up = cf64_expm1_pair(a);
    cf_dd down = cf64_expm1_pair(-a);
    cf_dd d = cf64_plus(up, (cf_dd){-down.h, -down.l});
    return __builtin_copysign(0.5*(d.h+d.l), x);
}

CF_INLINE double cf64_cosh(double x) {
    double a = __builtin_fabs(x);
    if (a > 40) {
        return cf64_exp_scaled((cf_dd){cf64_clamp(a, 0, 720), 0}, -1);
    }
    cf_dd up = cf64_expm1_pair(a);
    cf_dd down = cf64_expm1_pair(-a);
    cf_dd d = cf64_plus((cf_dd){2, 0}, cf64_plus(up, down));
    return 0.5 * (d.h + d.l);
}

CF_INLINE double cf64_tanh(double x) {
    double a = __builtin_fabs(x);
    if (a < 0x1p-28) {
        return x;
    }
    cf_dd e = cf64_expm1_pair(cf64_clamp(a+a, 0, 60));
    cf_dd t = cf64_over(e, cf64_plus(e, (cf_dd){2, 0}));
    return __builtin_copysign(t.h+t.l, x);
}

#endif
