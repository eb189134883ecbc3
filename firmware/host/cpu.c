/* What this processor and system offer beyond the architecture's base. */
#include "core/codes_gen.h"
#include "host.h"
#include "sys.h"

#if defined(__x86_64__) || defined(__i386__)

struct leaf {
    uint32_t a, b, c, d;
};

static struct leaf cpuid(uint32_t leaf) {
    struct leaf r = {leaf, 0, 0, 0};

    __asm__ volatile("cpuid" : "+a"(r.a), "=b"(r.b), "+c"(r.c), "=d"(r.d));
    return r;
}

#endif

#if defined(__i386__)

uint32_t cf_host_features(void) {
    if ((cpuid(1).d >> 26 & 1u) == 0) {
        cf_host_die("this processor has no SSE2", 0);
    }
    return 0;
}

#elif defined(__x86_64__)

uint32_t cf_host_features(void) {
    uint32_t features = 0;
    struct leaf one = cpuid(1);

    if ((one.c >> 19 & 1u) != 0) {
        features |= CF_FEAT_SSE41;
    }
    uint32_t avx = 1u << 27 | 1u << 28; /* the system saves extended state; AVX */
    if ((one.c & avx) == avx && cpuid(0).a >= 7) {
        uint32_t low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        (void)high;
        if ((low & 6u) == 6u && (cpuid(7).b >> 5 & 1u) != 0) { /* XMM and YMM state are enabled; AVX2 */
            features |= CF_FEAT_AVX2;
        }
    }
    return features;
}

#elif defined(__arm__)

uint32_t cf_host_features(void) {
    return 0; /* programs use what every ARMv7-A with VFPv3 has */
}

#else

uint32_t cf_host_features(void) {
    return CF_FEAT_NEON; /* part of every AArch64 Linux */
}

#endif

uint32_t cf_host_processors(void) {
    uint64_t set[16] = {0}; /* 1024 processors; more are an error, which counts as none */
    uint32_t n = 0;
    long length = cf_sys3(__NR_sched_getaffinity, 0, sizeof set, set);

    for (long i = 0; i < length / (long)sizeof set[0]; i++) {
        for (uint64_t left = set[i]; left != 0; left &= left - 1) {
            n++;
        }
    }
    return n;
}
