/* Out-of-line entries: symbol cf_NAME, ordinary calling convention of the target.
 *
 * One translation unit per kernel, so that a builder gets code and constants of
 * one kernel and nothing else. The C name differs from the inline function's;
 * the symbol does not. Arguments come in xmm0/v0 (xmm1/v1), results leave in
 * xmm0/v0. */
#ifndef CF_MATH_ENTRY_H
#define CF_MATH_ENTRY_H

/* Sine in lane 0 of the first, cosine in lane 0 of the second: xmm0 and xmm1 by
 * System V x86_64 (two floats as such would be packed into xmm0), v0 and v1 on
 * AArch64. The other lanes mean nothing. */
typedef float cf_result_lanes __attribute__((vector_size(8)));
struct cf_sincos_result {
    cf_result_lanes sine, cosine;
};

#define CF_ENTRY1(name)                              \
    float cf_entry_##name(float x) __asm__("cf_" #name); \
    float cf_entry_##name(float x) {                 \
        return cf_##name(x);                         \
    }

#define CF_ENTRY2(name)                                       \
    float cf_entry_##name(float a, float b) __asm__("cf_" #name); \
    float cf_entry_##name(float a, float b) {                 \
        return cf_##name(a, b);                               \
    }

#endif
