/* Proof that a one-argument kernel is correctly rounded: every one of the 2^32
 * float inputs goes through the kernel's out-of-line entry.
 *
 * usage: sweep NAME [hard-list file]
 *
 * Reference: the double d of reference.c. If d(1-2^-38) and d(1+2^-38) round to
 * the same float, that float is right. Otherwise, and for every input where the
 * kernel differs from it, MPFR at 160 bits decides. For odd and even functions
 * the reference is computed for x >= 0 and mirrored; the kernel runs on both.
 * With a file name, inputs whose exact result lies within 6 * 2^-53 (of the
 * result's binade) of a boundary between floats are written there, x >= 0 only
 * for mirrored functions: the hard list that a changed kernel is tried on first.
 * "sincos" compares both results with cf_sin and cf_cos instead.
 *
 * Prints one line: counts, mismatches, digest. Exit 1 on any mismatch. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../src/kernels/f32/bits.h"
#include "../src/kernels/f32/kernels.h"
#include "bitmix.h"

enum { BLOCK = 4096 };
enum mirror { NONE, ODD, EVEN };

struct function {
    const char *name;
    enum mirror mirror;
    float (*kernel)(float);
    void (*reference)(const float *, double *, int);
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
};

#define X(name, mirror) void reference_##name(const float *, double *, int);
#include "functions.h"
#undef X

static const struct function functions[] = {
#define X(name, mirror) {#name, mirror, cf_##name, reference_##name, mpfr_##name},
#include "functions.h"
#undef X
};

struct tally {
    uint64_t inputs, mismatches, exact, hard, digest;
};

static mpfr_t exact_x, exact_y, exact_d;

/* Distance of y from the boundary between r and r's neighbour, 2^-53 binade. */
static double boundary_distance(mpfr_t y, float r, int up) {
    float a = fabsf(r);
    float b = cf_f32(cf_bits32(a) + (up ? 1u : ~0u));
    double edge = up && isinf(b) ? 0x1.ffffffp127 : ((double)a + (double)b) * 0.5;
    int e;
    edge = copysign(edge, (double)r);
    frexp(edge, &e);
    mpfr_sub_d(exact_d, y, edge, MPFR_RNDN);
    return fabs(ldexp(mpfr_get_d(exact_d, MPFR_RNDN), 53 - e));
}

static uint32_t exact_bits(const struct function *f, float x, FILE *hard, struct tally *t) {
    t->exact++;
    mpfr_set_flt(exact_x, x, MPFR_RNDN);
    f->exact(exact_y, exact_x, MPFR_RNDN);
    float r = mpfr_get_flt(exact_y, MPFR_RNDN); /* rounds once, subnormals too */
    if (isnan(r)) return CF_NAN;
    if (hard && mpfr_regular_p(exact_y) && r != 0.0f && !isinf(r)) {
        double d = fmin(boundary_distance(exact_y, r, 1), boundary_distance(exact_y, r, 0));
        if (d < 6.0) {
            fprintf(hard, "%s %08x %08x\n", f->name, cf_bits32(x), cf_bits32(r));
            t->hard++;
        }
    }
    return cf_bits32(r);
}

static void mismatch(const char *name, uint32_t x, uint32_t want, uint32_t got, struct tally *t) {
    if (t->mismatches++ < 20) printf("  %s(%08x): want %08x got %08x\n", name, x, want, got);
}

static void sweep_block(const struct function *f, uint32_t first, FILE *hard, struct tally *t) {
    static float x[BLOCK];
    static double d[BLOCK];
    for (uint32_t i = 0; i < BLOCK; i++) x[i] = cf_f32(first + i);
    f->reference(x, d, BLOCK);
    for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t u = first + i, got = cf_bits32(f->kernel(x[i]));
        float low = (float)(d[i] * (1 - 0x1p-38)), high = (float)(d[i] * (1 + 0x1p-38));
        uint32_t want = isnan(low) ? CF_NAN : cf_bits32(low);
        int decided = isnan(low) ? isnan(high) : want == cf_bits32(high);
        if (!decided || want != got) want = exact_bits(f, x[i], hard, t);
        if (want != got) mismatch(f->name, u, want, got, t);
        t->digest += bitmix(u, got);
        t->inputs++;
        if (f->mirror == NONE) continue;
        uint32_t mirrored = cf_bits32(f->kernel(cf_f32(u | CF_SIGN)));
        want = f->mirror == ODD && want != CF_NAN ? want ^ CF_SIGN : want;
        if (want != mirrored) mismatch(f->name, u | CF_SIGN, want, mirrored, t);
        t->digest += bitmix(u | CF_SIGN, mirrored);
        t->inputs++;
    }
}

static void sweep_sincos(struct tally *t) {
    uint32_t u = 0;
    do {
        float x = cf_f32(u);
        struct cf_sincos_result r = cf_sincos(x);
        uint32_t s = cf_bits32(r.sine[0]), c = cf_bits32(r.cosine[0]);
        uint32_t ws = cf_bits32(cf_sin(x)), wc = cf_bits32(cf_cos(x));
        if (s != ws) mismatch("sincos (sine)", u, ws, s, t);
        if (c != wc) mismatch("sincos (cosine)", u, wc, c, t);
        t->digest += bitmix(u, s) + 3 * bitmix(u, c);
        t->inputs++;
    } while (++u != 0);
}

static int report(const char *name, const struct tally *t, clock_t start) {
    time_t now = time(NULL);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime(&now));
    printf("%-6s inputs=%llu mismatches=%llu exact=%llu digest=%016llx cpu=%.0fs %s UTC gcc %s\n", name,
           (unsigned long long)t->inputs, (unsigned long long)t->mismatches,
           (unsigned long long)t->exact, (unsigned long long)t->digest,
           (double)(clock() - start) / CLOCKS_PER_SEC, date, __VERSION__);
    return t->mismatches != 0 || t->inputs != 1ull << 32;
}

int main(int argc, char **argv) {
    struct tally t = {0};
    clock_t start = clock();
    if (argc > 1 && !strcmp(argv[1], "sincos")) {
        sweep_sincos(&t);
        return report("sincos", &t, start);
    }
    FILE *hard = argc > 2 ? fopen(argv[2], "w") : NULL;
    mpfr_init2(exact_x, 24);
    mpfr_init2(exact_y, 160);
    mpfr_init2(exact_d, 160);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const struct function *f = &functions[k];
        if (argc < 2 || strcmp(f->name, argv[1])) continue;
        uint64_t end = f->mirror == NONE ? 1ull << 32 : 1ull << 31;
        for (uint64_t u = 0; u < end; u += BLOCK) sweep_block(f, (uint32_t)u, hard, &t);
        if (hard) fclose(hard);
        return report(f->name, &t, start);
    }
    fprintf(stderr, "usage: sweep NAME [hard-list file], a name of functions.h or sincos\n");
    return 2;
}
