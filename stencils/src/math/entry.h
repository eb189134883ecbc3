/* Out-of-line entries: symbol cf_NAME, ordinary calling convention of the target.
 *
 * One translation unit per kernel, so that a builder gets code and constants of
 * one kernel and nothing else. The C name differs from the inline function's;
 * the symbol does not. Arguments come in xmm0/v0 (xmm1/v1), results leave in
 * xmm0/v0 (cf_sincos: sine there, cosine in xmm1/v1, see sincos.c). */
#ifndef CF_MATH_ENTRY_H
#define CF_MATH_ENTRY_H

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
