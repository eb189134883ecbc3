//@ kernel sincos f32 FF=F
#include "entry.h"
#include "trig.h"

#if defined(CF_MATH_LANES)

struct cf_sincos_result cf_entry_sincos(float x) __asm__("cf_sincos");

struct cf_sincos_result cf_entry_sincos(float x) {
    cf_f64x2 sine = (cf_f64x2)cf_sincos_lanes(x);
    cf_f64x2 cosine = (cf_f64x2)__builtin_shuffle((cf_u32x4)sine, (cf_u32x4){1, 0, 3, 2});
    struct cf_sincos_result r;
    __builtin_memcpy(&r.sine, &sine, sizeof r.sine);
    __builtin_memcpy(&r.cosine, &cosine, sizeof r.cosine);
    return r;
}

#else /* two floats come back in the first two float registers */

struct cf_sincos_pair {
    float sine, cosine;
};

struct cf_sincos_pair cf_entry_sincos(float x) __asm__("cf_sincos");

struct cf_sincos_pair cf_entry_sincos(float x) {
    struct cf_sincos_pair r;
    cf_sincos(x, &r.sine, &r.cosine);
    return r;
}

#endif
