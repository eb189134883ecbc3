/* Accuracy of the kernels on doubles: structured samples against MPFR.
 *
 * usage: kernels64 NAME SAMPLES
 *
 * The error is |result - exact| in units of the spacing of doubles at the exact value
 * (that of subnormals below 2^-1022). Results that are NaN, infinite or exact zeros are
 * compared exactly. Prints one line; exit 1 when a special result differs or the error
 * exceeds 1 ULP. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/kernels/f32/bits.h"


#define ONE_ARGUMENT(X) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(exp) X(exp2) X(expm1) \
    X(sinh) X(cosh) X(tanh) X(log) X(log2) X(log10) X(log1p) X(cbrt)
#define TWO_ARGUMENTS(X) X(pow) X(atan2) X(hypot)

#define DECLARE1(name) double cf64_##name(double x);
#define DECLARE2(name) double cf64_##name(double a, double b);
ONE_ARGUMENT(DECLARE1)
TWO_ARGUMENTS(DECLARE2)

static const struct function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    int (*exact1)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*exact2)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
} functions[] = {
#define ROW1(name) {#name, cf64_##name, NULL, mpfr_##name, NULL},
#define ROW2(name) {#name, NULL, cf64_##name, NULL, mpfr_##name},
    ONE_ARGUMENT(ROW1)
    TWO_ARGUMENTS(ROW2)
};

static const uint64_t special[] = {
    0, 1, 0xfffffffffffff, 0x10000000000000, 0x3c90000000000000, 0x3e40000000000000, 0x3fe0000000000000,
    0x3fe921fb54442d18, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000,
    0x3ff921fb54442d18, 0x4000000000000000, 0x4008000000000000, 0x400921fb54442d18, 0x4044000000000000,
    0x40862e42fefa39ef, 0x40862e42fefa39f0, 0x4086328000000000, 0x40874910d52d3051, 0x4340000000000001, 0x7506ac5b262ca1ff,
    0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000,
};
#define SPECIALS (sizeof special / sizeof *special)

static uint64_t next(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* One of five kinds: any bits, near 1, of daily size, up to 750, with few bits set. */
static double sample(uint64_t *state, uint64_t kind) {
    uint64_t x = next(state), sign = x & 0x8000000000000000u;
    double unit = (double)(x >> 11) * 0x1p-53;
    double v;
    switch (kind % 5) {
    case 0: return cf_f64(x);
    case 1: v = 1.0 + (unit - 0.5) * pow(2.0, -(double)(next(state) % 54)); break;
    case 2: v = pow(10.0, 6.0 * unit - 3.0); break;
    case 3: v = 750.0 * unit; break;
    default: v = (double)(x >> 54 & 1023) * pow(2.0, (double)(next(state) % 24) - 12.0); break;
    }
    return cf_f64(cf_bits64(v) ^ sign);
}

static mpfr_t mx, my, exact, diff;
static double worst;
static double worst_at[2];
static unsigned long misrounded, wrong;

static void check(const struct function *f, double a, double b) {
    double got = f->one ? f->one(a) : f->two(a, b);
    mpfr_set_d(mx, a, MPFR_RNDN);
    mpfr_set_d(my, b, MPFR_RNDN);
    if (f->one) f->exact1(exact, mx, MPFR_RNDN);
    else f->exact2(exact, mx, my, MPFR_RNDN);
    double want = mpfr_get_d(exact, MPFR_RNDN);
    misrounded += cf_bits64(want) != cf_bits64(got) && !(isnan(want) && isnan(got));
    if (isnan(want) || isnan(got) || isinf(want) || isinf(got) || mpfr_zero_p(exact)) {
        int same = (isnan(want) && isnan(got)) || cf_bits64(want) == cf_bits64(got);
        /* one ULP beside the largest number is infinity */
        if (!same && !(fabs(got) >= 0x1.fffffffffffffp1023 && fabs(want) >= 0x1.fffffffffffffp1023)) {
            if (wrong++ < 10) printf("  %s(%a, %a): want %a got %a\n", f->name, a, b, want, got);
        }
        return;
    }
    mpfr_exp_t e = mpfr_get_exp(exact); /* 2^(e-1) <= |exact| < 2^e */
    if (e < -1021) e = -1021;
    mpfr_sub_d(diff, exact, got, MPFR_RNDN);
    mpfr_mul_2si(diff, diff, 53 - e, MPFR_RNDN);
    double ulp = fabs(mpfr_get_d(diff, MPFR_RNDN));
    if (ulp > worst) {
        worst = ulp;
        worst_at[0] = a;
        worst_at[1] = b;
    }
}

int main(int argc, char **argv) {
    const struct function *f = NULL;
    for (size_t i = 0; argc == 3 && i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(argv[1], functions[i].name)) f = &functions[i];
    if (!f) {
        fprintf(stderr, "usage: kernels64 NAME SAMPLES\n");
        return 2;
    }
    mpfr_set_emin(-5000);
    mpfr_set_emax(5000);
    mpfr_init2(mx, 53);
    mpfr_init2(my, 53);
    mpfr_init2(exact, 160);
    mpfr_init2(diff, 160);
    for (size_t i = 0; i < 2 * SPECIALS; i++)
        for (size_t j = 0; j < (f->one ? 1 : 2 * SPECIALS); j++)
            check(f, cf_f64(special[i / 2] | (uint64_t)(i & 1) << 63), cf_f64(special[j / 2] | (uint64_t)(j & 1) << 63));
    uint64_t state = 1, n = strtoull(argv[2], NULL, 10);
    for (uint64_t i = 0; i < n; i++) {
        double a = sample(&state, i), b = sample(&state, i / 5);
        check(f, a, b);
        if (!f->one && i % 3 == 0) check(f, a, a * (1.0 + (double)(int64_t)next(&state) * 0x1p-70));
    }
    printf("%-6s samples=%llu max_ulp=%.6f at %a,%a misrounded=%lu wrong=%lu\n", f->name, (unsigned long long)n, worst,
           worst_at[0], worst_at[1], misrounded, wrong);
    return wrong != 0 || worst > 1.0;
}
