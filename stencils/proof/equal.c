/* Proof that the integer-only kernels are the double-form ones: both are called with
 * every one of the 2^32 float inputs and must give the same bits. The double form is
 * correctly rounded by sweep.log, so the integer form is as well.
 *
 * usage: equal NAME [STRIDE]
 *
 * Prints one line: counts and the digest of sweep.log. With a stride above 1 it is a
 * sample and says so. Exit 1 on any difference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/kernels/f32/bits.h"
#include "../src/kernels/f32/kernels.h"
#include "../src/kernels/f32/pair.h"
#include "bitmix.h"

/* The integer form's entries, renamed by objcopy. */
#define X(name, mirror) float integer_cf_##name(float x);
#include "functions.h"
#undef X
struct cf_pair integer_cf_sincos(float x);

struct tally {
    uint64_t inputs, different, digest;
};

static void compare(const char *name, uint32_t u, float want, float got, uint64_t weight, struct tally *t) {
    uint32_t w = cf_bits32(want), g = cf_bits32(got);
    if (w != g && t->different++ < 20) printf("  %s(%08x): double form %08x, integer form %08x\n", name, u, w, g);
    t->digest += weight * bitmix(u, g);
}

#define X(name, mirror)                                                                        \
    static void all_##name(uint64_t stride, struct tally *t) {                                 \
        for (uint64_t u = 0; u >> 32 == 0; u += stride, t->inputs++) {                         \
            float x = cf_f32((uint32_t)u);                                                     \
            compare(#name, (uint32_t)u, cf_##name(x), integer_cf_##name(x), 1, t);             \
        }                                                                                      \
    }
#include "functions.h"
#undef X

static void all_sincos(uint64_t stride, struct tally *t) {
    for (uint64_t u = 0; u >> 32 == 0; u += stride, t->inputs++) {
        float x = cf_f32((uint32_t)u);
        struct cf_sincos_result want = cf_sincos(x);
        struct cf_pair got = integer_cf_sincos(x);
        compare("sincos (sine)", (uint32_t)u, want.sine[0], got.sine, 1, t);
        compare("sincos (cosine)", (uint32_t)u, want.cosine[0], got.cosine, 3, t);
    }
}

static const struct {
    const char *name;
    void (*all)(uint64_t stride, struct tally *t);
} functions[] = {
#define X(name, mirror) {#name, all_##name},
#include "functions.h"
#undef X
    {"sincos", all_sincos},
};

int main(int argc, char **argv) {
    uint64_t stride = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    clock_t start = clock();
    for (size_t k = 0; argc > 1 && stride && k < sizeof functions / sizeof *functions; k++) {
        if (strcmp(functions[k].name, argv[1])) continue;
        struct tally t = {0};
        functions[k].all(stride, &t);
        char date[32];
        time_t now = time(NULL);
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime(&now));
        printf("%-6s inputs=%llu different=%llu %sdigest=%016llx cpu=%.0fs %s UTC gcc %s\n", argv[1],
               (unsigned long long)t.inputs, (unsigned long long)t.different, stride == 1 ? "" : "sample ",
               (unsigned long long)t.digest, (double)(clock() - start) / CLOCKS_PER_SEC, date, __VERSION__);
        return t.different != 0;
    }
    fprintf(stderr, "usage: equal NAME [STRIDE], a name of functions.h or sincos\n");
    return 2;
}
