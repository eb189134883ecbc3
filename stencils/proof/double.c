/* Compares the integer form of double arithmetic with this machine's: special values
 * in all pairs, then SAMPLES pairs at random, exponents near and far. Results below
 * 2^-1022 count as zeros, as ../src/kernels/f32int/double.h says.
 *
 * usage: double SAMPLES ; exit 1 on any difference */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../src/kernels/f32int/double.h"

static uint64_t different, cases;

/* NaNs as the one, tiny results as zeros. */
static uint64_t plain(double d) {
    uint64_t u = cf_bits64(d);
    if ((u & ~CFD_SIGN) > CFD_INF) return CFD_NAN;
    return cfd_exponent(u) == 0 ? u & CFD_SIGN : u;
}

static void check(const char *name, uint64_t a, uint64_t b, uint64_t want, uint64_t got) {
    cases++;
    if (want != got && different++ < 20)
        printf("  %s(%016llx, %016llx): %016llx, integers %016llx\n", name, (unsigned long long)a,
               (unsigned long long)b, (unsigned long long)want, (unsigned long long)got);
}

static void all(uint64_t a, uint64_t b) {
    double x = cf_f64(a), y = cf_f64(b);
    check("add", a, b, plain(x + y), cfd_add(a, b));
    check("sub", a, b, plain(x - y), cfd_add(a, b ^ CFD_SIGN));
    uint64_t product = plain(x * y), quotient = plain(x / y);
    /* a result that rounds up to 2^-1022 is the one place where "below" is not plain */
    if ((product & ~CFD_SIGN) != CFD_HIDDEN) check("mul", a, b, product, cfd_mul(a, b));
    if ((quotient & ~CFD_SIGN) != CFD_HIDDEN) check("div", a, b, quotient, cfd_div(a, b));
    check("sqrt", a, 0, plain(sqrt(x)), cfd_sqrt(a));
    check("less", a, b, (uint64_t)(x < y), cfd_less(a, b));
    float f = (float)x;
    check("to float", a, 0, isnan(f) ? CF_NAN : cf_bits32(f), cfd_to_float(a));
    uint32_t u = (uint32_t)(a >> 16);
    check("from float", u, 0, plain((double)cf_f32(u)), cfd_from_float(u));
    check("from int", u, 0, plain((double)(int32_t)u), cfd_from_int((int32_t)u));
}

static uint64_t state = 1;

static uint64_t next(void) { /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A normal number; every other one has a fraction of few bits, or of all ones but few. */
static uint64_t draw(uint64_t spread) {
    uint64_t r = next(), e = CFD_BIAS - spread + next() % (2 * spread + 1), f = next() & CFD_FRACTION;
    if (r & 1) f &= CFD_FRACTION << (r >> 1 & 63);
    if (r & 2) f |= CFD_FRACTION >> (r >> 7 & 63);
    return (r & CFD_SIGN) | e << 52 | (f & CFD_FRACTION);
}

int main(int argc, char **argv) {
    static const uint64_t special[] = {
        0, CFD_INF, CFD_NAN, 0x3ff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x4000000000000000,
        0x36a0000000000000, 0x36a0000000000001, 0x3690000000000000, 0x3690000000000001, 0x369fffffffffffff, /* 2^-149 2^-150 */
        0x380fffffffffffff, 0x380fffffe0000000, 0x380fffffd0000000, 0x380ffffff0000000, 0x3810000000000000, /* 2^-126 */
        0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x47f0000000000000, /* largest float */
        0x0010000000000000, 0x7fefffffffffffff, 0x41dfffffffc00000, 0x41e0000000000000, 0x3ff0000010000000, 0x3ff0000030000000,
    };
    enum { SPECIALS = sizeof special / sizeof *special };
    for (int i = 0; i < 4 * SPECIALS * SPECIALS; i++)
        all(special[i / 4 % SPECIALS] ^ (i & 1 ? CFD_SIGN : 0), special[i / 4 / SPECIALS] ^ (i & 2 ? CFD_SIGN : 0));
    static const uint64_t spreads[] = {0, 1, 3, 30, 60, 150, 300, 1000};
    uint64_t samples = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    for (uint64_t k = 0; k < samples; k++) {
        uint64_t spread = spreads[k & 7];
        all(draw(spread), draw(spread));
    }
    printf("double samples=%llu comparisons=%llu different=%llu\n", (unsigned long long)samples, (unsigned long long)cases,
           (unsigned long long)different);
    return samples == 0 || different != 0;
}
