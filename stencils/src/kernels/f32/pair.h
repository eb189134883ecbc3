/* Both results of cf_sincos as two floats, for ABIs that return such a pair in the
 * first two float registers: those of Arm and RISC-V with FPU. */
#ifndef CF_MATH_PAIR_H
#define CF_MATH_PAIR_H

struct cf_pair {
    float sine, cosine;
};

#define CF_ENTRY_SINCOS_PAIR                                             \
    struct cf_pair cf_entry_sincos(float x) __asm__("cf_sincos");        \
    struct cf_pair cf_entry_sincos(float x) {                            \
        struct cf_pair r;                                                \
        cf_sincos(x, &r.sine, &r.cosine);                                \
        return r;                                                        \
    }

#endif
