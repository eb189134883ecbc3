/* Writes specials.txt: what MPFR says at the special values, as lines
 * "name input(s) result", hexadecimal bits, NaN as 7fc00000. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>

#include "../src/kernels/f32/bits.h"
#include "specials.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint32_t bits_of(mpfr_t y) {
    float r = mpfr_get_flt(y, MPFR_RNDN);
    return isnan(r) ? CF_NAN : cf_bits32(r);
}

int main(void) {
    mpfr_t x, y, z;
    mpfr_init2(x, 24);
    mpfr_init2(y, 24);
    mpfr_init2(z, 200);
#define X(name, mirror)                                              \
    for (size_t i = 0; i < 2 * COUNT(specials); i++) {               \
        uint32_t u = specials[i / 2] | (i & 1 ? CF_SIGN : 0u);       \
        mpfr_set_flt(x, cf_f32(u), MPFR_RNDN);                       \
        mpfr_##name(z, x, MPFR_RNDN);                                \
        printf("%s %08x %08x\n", #name, u, bits_of(z));              \
    }
#include "functions.h"
#undef X
    for (size_t i = 0; i < 4 * COUNT(pair_specials) * COUNT(pair_specials); i++) {
        uint32_t u = pair_specials[i / 4 / COUNT(pair_specials)] | (i & 1 ? CF_SIGN : 0u);
        uint32_t v = pair_specials[i / 4 % COUNT(pair_specials)] | (i & 2 ? CF_SIGN : 0u);
        mpfr_set_flt(x, cf_f32(u), MPFR_RNDN);
        mpfr_set_flt(y, cf_f32(v), MPFR_RNDN);
        mpfr_atan2(z, x, y, MPFR_RNDN);
        printf("atan2 %08x %08x %08x\n", u, v, bits_of(z));
        mpfr_pow(z, x, y, MPFR_RNDN);
        printf("pow %08x %08x %08x\n", u, v, bits_of(z));
        mpfr_hypot(z, x, y, MPFR_RNDN);
        printf("hypot %08x %08x %08x\n", u, v, bits_of(z));
    }
    return 0;
}
