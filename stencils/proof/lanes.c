/* Proof that a kernel on several lanes gives the bits of the scalar one, which sweep.c has proven: the
 * results of all 2^32 inputs, eight neighbours at a time, have the digest that sweep.log names. Where
 * they have not, the scalar kernel tells which inputs differ.
 *
 * usage: lanes NAME DIGEST
 *        lanes check FILE...: only the cases of these files, each in some lane, and one input in 4099
 *
 * Prints one line: counts, digest. Exit 1 on any difference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/kernels/f32/bits.h"
#include "../src/kernels/f32/kernels.h"
#include "../src/kernels/lanes/lanes.h"
#include "bitmix.h"

enum { LANES = sizeof(cf_f32s) / sizeof(float) };

#define FUNCTIONS(X) \
    X(sin) X(cos) X(tan) X(atan) X(exp) X(log) X(exp2) X(expm1) X(sinh) X(cosh) X(tanh) X(log2) X(log10) X(log1p)

#define X(name) cf_f32s cfv_##name(cf_f32s x);
FUNCTIONS(X)
#undef X

struct function {
    const char *name;
    float (*kernel)(float);
    cf_f32s (*wide)(cf_f32s);
};

static const struct function functions[] = {
#define X(name) {#name, cf_##name, cfv_##name},
    FUNCTIONS(X)
#undef X
};

static cf_u32s wide_bits(const struct function *f, uint32_t first) {
    cf_u32s x;
    for (uint32_t j = 0; j < LANES; j++) x[j] = first + j;
    return (cf_u32s)f->wide((cf_f32s)x);
}

static uint64_t sweep(const struct function *f) {
    uint64_t digest = 0;
    uint32_t u = 0;
    do {
        cf_u32s y = wide_bits(f, u);
        for (uint32_t j = 0; j < LANES; j++) digest += bitmix(u + j, y[j]);
    } while ((u += LANES) != 0);
    return digest;
}

static void show_differences(const struct function *f) {
    int shown = 0;
    uint32_t u = 0;
    do {
        cf_u32s y = wide_bits(f, u);
        for (uint32_t j = 0; j < LANES; j++) {
            uint32_t want = cf_bits32(f->kernel(cf_f32(u + j)));
            if (y[j] != want && shown++ < 20) printf("  %s(%08x): want %08x got %08x\n", f->name, u + j, want, y[j]);
        }
    } while ((u += LANES) != 0);
    printf("  %d differ\n", shown);
}

enum { STRIDE = 4099 };

static int wrong(const struct function *f, uint32_t x, uint32_t want, int lane) {
    cf_u32s all = (cf_u32s){} + CF_ONE;
    all[lane] = x;
    uint32_t got = ((cf_u32s)f->wide((cf_f32s)all))[lane];
    if (got != want) printf("  %s(%08x): want %08x got %08x in lane %d\n", f->name, x, want, got, lane);
    return got != want;
}

/* Cases of a file: name, input, result. Those of other functions are left out. */
static int check_file(const char *path, int *cases) {
    FILE *file = fopen(path, "r");
    char line[128], name[16];
    int bad = 0;
    if (!file) {
        perror(path);
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        unsigned x, want, more;
        if (sscanf(line, "%15s %x %x %x", name, &x, &want, &more) != 3) continue;
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
            if (!strcmp(functions[k].name, name)) bad += wrong(&functions[k], x, want, (*cases)++ % LANES);
    }
    fclose(file);
    return bad;
}

static int check(char **paths) {
    int cases = 0, bad = 0;
    for (; *paths; paths++) bad += check_file(*paths, &cases);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        for (uint64_t u = 0; u >> 32 == 0; u += STRIDE)
            bad += wrong(&functions[k], (uint32_t)u, cf_bits32(functions[k].kernel(cf_f32((uint32_t)u))), cases++ % LANES);
    printf("kernels on lanes cases=%d mismatches=%d\n", cases, bad);
    return bad != 0;
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "check")) return check(argv + 2);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const struct function *f = &functions[k];
        if (argc != 3 || strcmp(f->name, argv[1])) continue;
        clock_t start = clock();
        uint64_t digest = sweep(f);
        int same = digest == strtoull(argv[2], NULL, 16);
        char date[32];
        time_t now = time(NULL);
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime(&now));
        printf("%-6s lanes=%d inputs=%llu %s digest=%016llx cpu=%.0fs %s UTC gcc %s\n", f->name, (int)LANES, 1ull << 32,
               same ? "same" : "different", (unsigned long long)digest, (double)(clock() - start) / CLOCKS_PER_SEC, date, __VERSION__);
        if (!same) show_differences(f);
        return !same;
    }
    fprintf(stderr, "usage: lanes NAME DIGEST, a name of the kernels on lanes and its digest in sweep.log\n");
    return 2;
}
