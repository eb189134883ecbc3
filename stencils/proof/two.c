/* Accuracy of the two-argument kernels: structured samples against MPFR.
 *
 * usage: two atan2|pow|hypot SAMPLES
 *
 * The error is |result - exact| in units of the float spacing at the exact value
 * (that of subnormals below 2^-126; at least 2^-149). Results that are NaN,
 * infinite or exact zeros are compared exactly. Prints one line; exit 1 when a
 * special result differs or the error exceeds 0.51 ULP. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/kernels/f32/bits.h"
#include "../src/kernels/f32/kernels.h"
#include "pairs.h"

struct worst {
    double ulp;
    struct pair at;
    uint64_t special, wrong, misrounded;
};

static mpfr_t mx, my, exact, diff;

static void compare(struct pair p, float got, struct worst *w) {
    float want = mpfr_get_flt(exact, MPFR_RNDN);
    uint32_t wb = isnan(want) ? CF_NAN : cf_bits32(want), gb = cf_bits32(got);
    w->misrounded += wb != gb;
    if (!mpfr_regular_p(exact) || isinf(want) || isinf(got) || isnan(got)) {
        w->special++;
        if (wb != gb && w->wrong++ < 10)
            printf("  %08x %08x: want %08x got %08x\n", p.a, p.b, wb, gb);
        return;
    }
    mpfr_exp_t e = mpfr_get_exp(exact); /* 2^(e-1) <= |exact| < 2^e */
    if (e < -125) e = -125;
    mpfr_sub_d(diff, exact, (double)got, MPFR_RNDN);
    mpfr_mul_2si(diff, diff, 24 - e, MPFR_RNDN);
    double ulp = fabs(mpfr_get_d(diff, MPFR_RNDN));
    if (ulp > w->ulp) {
        w->ulp = ulp;
        w->at = p;
    }
}

static const struct function {
    const char *name;
    float (*kernel)(float, float);
    int (*exact)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
    struct pair (*pair)(uint64_t *, unsigned);
} functions[] = {
    {"atan2", cf_atan2, mpfr_atan2, atan2_pair},
    {"pow", cf_pow, mpfr_pow, pow_pair},
    {"hypot", cf_hypot, mpfr_hypot, atan2_pair},
};

int main(int argc, char **argv) {
    const struct function *f = NULL;
    for (size_t i = 0; argc == 3 && i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(argv[1], functions[i].name)) f = &functions[i];
    if (!f) {
        fprintf(stderr, "usage: two atan2|pow|hypot SAMPLES\n");
        return 2;
    }
    uint64_t n = strtoull(argv[2], NULL, 10), state = 0x9e3779b97f4a7c15u;
    struct worst w = {0};
    clock_t start = clock();
    mpfr_init2(mx, 24);
    mpfr_init2(my, 24);
    mpfr_init2(exact, 80);
    mpfr_init2(diff, 80);
    for (uint64_t i = 0; i < n; i++) {
        struct pair p = f->pair(&state, (unsigned)i);
        float a = cf_f32(p.a), b = cf_f32(p.b);
        mpfr_set_flt(mx, a, MPFR_RNDN);
        mpfr_set_flt(my, b, MPFR_RNDN);
        f->exact(exact, mx, my, MPFR_RNDN);
        compare(p, f->kernel(a, b), &w);
    }
    time_t now = time(NULL);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime(&now));
    printf("%-6s samples=%llu max_ulp=%.9f at %08x,%08x misrounded=%llu special=%llu wrong=%llu cpu=%.0fs %s UTC gcc %s\n",
           argv[1], (unsigned long long)n, w.ulp, w.at.a, w.at.b, (unsigned long long)w.misrounded,
           (unsigned long long)w.special, (unsigned long long)w.wrong,
           (double)(clock() - start) / CLOCKS_PER_SEC, date, __VERSION__);
    return w.wrong != 0 || w.ulp > 0.51;
}
