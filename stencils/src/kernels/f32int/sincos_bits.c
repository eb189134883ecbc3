/* cf_sincos without float registers: the bits of the sine in the first result register,
 * those of the cosine in the second. Where a pair of floats would come back in memory,
 * as on Arm, a number of 64 bits does not. */
#include "trig.h"

uint64_t cf_entry_sincos(float x) __asm__("cf_sincos");

uint64_t cf_entry_sincos(float x) {
    float sine, cosine;
    cf_sincos(x, &sine, &cosine);
    return (uint64_t)cf_bits32(cosine) << 32 | cf_bits32(sine);
}
