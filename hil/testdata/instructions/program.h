/* What programs in C share that are counted against compiled scripts: the kernels of the
 * stencil libraries, by their calling convention, and the data block. */
#ifndef CF_PROGRAM_H
#define CF_PROGRAM_H

#include <stdint.h>

struct sincos {
    float sine, cosine;
};

#ifdef __ARM_FP
struct sincos cf_sincos(float x);

static inline struct sincos sincos_of(float x) { return cf_sincos(x); }
#else
uint64_t cf_sincos(float x); /* a pair of floats would come back in memory */

static inline struct sincos sincos_of(float x) {
    const union {
        uint64_t bits;
        struct sincos pair;
    } both = {.bits = cf_sincos(x)};
    return both.pair;
}
#endif

/* The smaller and the greater number as scripts have them: a NaN stays one, and -0 is less
 * than +0. */
static inline uint32_t bits_of(float x) {
    const union {
        float number;
        uint32_t bits;
    } u = {.number = x};
    return u.bits;
}

static inline float number_of(uint32_t bits) {
    const union {
        uint32_t bits;
        float number;
    } u = {.bits = bits};
    return u.number;
}

static inline float least(float a, float b) {
    return a < b ? a : a > b ? b : number_of(bits_of(a) | bits_of(b));
}

static inline float greatest(float a, float b) {
    return a > b ? a : a < b ? b : a == b ? number_of(bits_of(a) & bits_of(b)) : number_of(bits_of(a) | bits_of(b));
}

static inline float clamp(float x, float low, float high) { return greatest(least(x, high), low); }

/* The runner clears the first word of the data block before a run. */
struct block;
void program(struct block *d);

#endif
