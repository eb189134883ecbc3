/* Quick check of the compiled kernels, needing nothing but a C library: every
 * case of the given files (hard.txt, specials.txt) must give the listed bits; and
 * digests of results over strided inputs and pseudo-random pairs, to be compared
 * between architectures and with check.log.
 *
 * usage: check FILE... ; exit 1 on any mismatch */
#include <stdio.h>
#include <string.h>

#include "../src/kernels/f32/bits.h"
#include "../src/kernels/f32/kernels.h"
#include "bitmix.h"
#include "pairs.h"

enum { STRIDE = 4099, PAIRS = 400000 };

static const struct {
    const char *name;
    float (*kernel)(float);
} one[] = {
#define X(name, mirror) {#name, cf_##name},
#include "functions.h"
#undef X
};

static const struct {
    const char *name;
    float (*kernel)(float, float);
    struct pair (*pairs)(uint64_t *, unsigned);
} two[] = {{"atan2", cf_atan2, atan2_pair}, {"pow", cf_pow, pow_pair}, {"hypot", cf_hypot, atan2_pair}};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Result of the named kernel; sincos must agree with sine and cosine. */
static int evaluate(const char *name, unsigned a, unsigned b, uint32_t *got) {
    for (size_t i = 0; i < COUNT(two); i++) {
        if (strcmp(name, two[i].name)) continue;
        *got = cf_bits32(two[i].kernel(cf_f32(a), cf_f32(b)));
        return 1;
    }
    for (size_t i = 0; i < COUNT(one); i++) {
        if (strcmp(name, one[i].name)) continue;
        *got = cf_bits32(one[i].kernel(cf_f32(a)));
        struct cf_sincos_result r = cf_sincos(cf_f32(a));
        if (one[i].kernel == cf_sin) return cf_bits32(r.sine[0]) == *got;
        if (one[i].kernel == cf_cos) return cf_bits32(r.cosine[0]) == *got;
        return 1;
    }
    return 0;
}

static int check_file(const char *path) {
    FILE *f = fopen(path, "r");
    char line[128], name[16];
    int cases = 0, bad = 0;
    if (!f) {
        perror(path);
        return 1;
    }
    while (fgets(line, sizeof line, f)) {
        unsigned v[3];
        uint32_t got = 0;
        int n = sscanf(line, "%15s %x %x %x", name, &v[0], &v[1], &v[2]);
        int known = n >= 3 && evaluate(name, v[0], v[1], &got);
        if (!known || got != v[n - 2]) {
            printf("  got %08x, sincos %s: %s", got, known ? "agrees" : "differs", line);
            bad++;
        }
        cases++;
    }
    fclose(f);
    const char *slash = strrchr(path, '/');
    printf("%s cases=%d mismatches=%d\n", slash ? slash + 1 : path, cases, bad);
    return bad != 0 || cases == 0;
}

int main(int argc, char **argv) {
    int failed = argc < 2;
    for (int i = 1; i < argc; i++) failed |= check_file(argv[i]);
    for (size_t i = 0; i < COUNT(one); i++) {
        uint64_t digest = 0;
        for (uint64_t u = 0; u >> 32 == 0; u += STRIDE)
            digest += bitmix(u, cf_bits32(one[i].kernel(cf_f32((uint32_t)u))));
        printf("%s digest=%016llx\n", one[i].name, (unsigned long long)digest);
    }
    uint64_t digest = 0;
    for (uint64_t u = 0; u >> 32 == 0; u += STRIDE) {
        struct cf_sincos_result r = cf_sincos(cf_f32((uint32_t)u));
        digest += bitmix(u, cf_bits32(r.sine[0])) + 3 * bitmix(u, cf_bits32(r.cosine[0]));
    }
    printf("sincos digest=%016llx\n", (unsigned long long)digest);
    for (size_t i = 0; i < COUNT(two); i++) {
        uint64_t state = 1;
        digest = 0;
        for (unsigned k = 0; k < PAIRS; k++) {
            struct pair p = two[i].pairs(&state, k);
            uint32_t got = cf_bits32(two[i].kernel(cf_f32(p.a), cf_f32(p.b)));
            digest += bitmix((uint64_t)p.a << 32 | p.b, got);
        }
        printf("%s digest=%016llx\n", two[i].name, (unsigned long long)digest);
    }
    return failed;
}
