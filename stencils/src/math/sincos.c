/* cf_sincos in two registers: sine in xmm0/v0, cosine in xmm1/v1.
 *
 * AArch64 returns a struct of two floats in v0 and v1. System V x86_64 packs two
 * floats into one register, so there each float gets an eightbyte of its own,
 * its upper half unspecified. */
#include "trig.h"

struct cf_sincos_result {
#ifdef __x86_64__
    float sine, unused0, cosine, unused1;
#else
    float sine, cosine;
#endif
};

struct cf_sincos_result cf_entry_sincos(float x) __asm__("cf_sincos");

struct cf_sincos_result cf_entry_sincos(float x) {
    struct cf_sincos_result r;
    cf_sincos(x, &r.sine, &r.cosine);
    return r;
}
