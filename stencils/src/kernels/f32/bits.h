/* Bit views of float and double, and the few constants every math kernel uses.
 *
 * All kernels of this folder assume IEEE binary32 and binary64, round to nearest
 * even, subnormals kept, and are compiled with -ffp-contract=off: a fused
 * multiply-add would change the bits that the sweeps have proven. */
#ifndef CF_MATH_BITS_H
#define CF_MATH_BITS_H

#include <stdint.h>

#define CF_INLINE static inline __attribute__((always_inline))

#define CF_SIGN 0x80000000u
#define CF_ABS  0x7fffffffu
#define CF_INF  0x7f800000u
#define CF_NAN  0x7fc00000u /* the one NaN that leaves a kernel */
#define CF_ONE  0x3f800000u

CF_INLINE float cf_f32(uint32_t bits) {
    float f;
    __builtin_memcpy(&f, &bits, sizeof f);
    return f;
}

CF_INLINE uint32_t cf_bits32(float f) {
    uint32_t bits;
    __builtin_memcpy(&bits, &f, sizeof bits);
    return bits;
}

CF_INLINE double cf_f64(uint64_t bits) {
    double f;
    __builtin_memcpy(&f, &bits, sizeof f);
    return f;
}

CF_INLINE uint64_t cf_bits64(double f) {
    uint64_t bits;
    __builtin_memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* 1 when the input is the given exceptional one, else 0. The double result of a
 * kernel rounds to the wrong neighbour for a handful of inputs; the float's bits
 * then get +1 or -1, without a branch, so that loops over a kernel vectorise. */
CF_INLINE uint32_t cf_is(uint32_t bits, uint32_t exceptional) {
    return (uint32_t)(bits == exceptional);
}

#endif
