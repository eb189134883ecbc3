#include "trig.h"

/* Sine in xmm0 and cosine in xmm1, on 32-bit x86, whose C functions have one result there:
 * nothing is left to do behind the asm statement that wants both in their places. */
float cf_entry_sincos(float x) __asm__("cf_sincos");

float cf_entry_sincos(float x) {
    float s, c;
    cf_sincos(x, &s, &c);
    register float sine __asm__("xmm0") = s;
    register float cosine __asm__("xmm1") = c;
    __asm__ volatile("" : "+x"(sine) : "x"(cosine));
    return sine;
}
