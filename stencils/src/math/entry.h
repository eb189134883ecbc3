/* Out-of-line entries: symbol cf_NAME, ordinary calling convention of the target.
 *
 * One translation unit per kernel, so that a builder gets code and constants of
 * one kernel and nothing else. The C name differs from the inline function's;
 * the symbol does not. Arguments come in xmm0/v0 (xmm1/v1), results leave in
 * xmm0/v0. */
#ifndef CF_MATH_ENTRY_H
#define CF_MATH_ENTRY_H

/* Sine in xmm0/v0, cosine in xmm1/v1. AArch64 returns a struct of two floats in
 * v0 and v1. System V x86_64 would pack them into xmm0, so there each float has
 * an eightbyte of its own; the other half of it means nothing. */
struct cf_sincos_result {
#ifdef __x86_64__
    float sine, unused0, cosine, unused1;
#else
    float sine, cosine;
#endif
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
