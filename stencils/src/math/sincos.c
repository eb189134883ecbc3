#include "entry.h"
#include "trig.h"

struct cf_sincos_result cf_entry_sincos(float x) __asm__("cf_sincos");

struct cf_sincos_result cf_entry_sincos(float x) {
    struct cf_sincos_result r;
    cf_sincos(x, &r.sine, &r.cosine);
    return r;
}
