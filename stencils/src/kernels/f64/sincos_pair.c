#include "trig.h"

/* As sincos.c; in xmm0 and xmm1 on 32-bit x86, see ../f32/sincos_pair.c. */
double cf64_entry_sincos(double x) __asm__("cf64_sincos");

double cf64_entry_sincos(double x) {
    uint64_t u = cf64_abs_bits(x);
    double s = x - x, c = s;
    if (u < CF64_INF) {
        cf_turns t = cf64_reduce(u);
        s = cf64_sin_of(t.n, t.r);
        s = x < 0 ? -s : s;
        s = u < 0x3e40000000000000u ? x : s;
        c = cf64_sin_of(t.n + 1, t.r);
    }
    register double sine __asm__("xmm0") = s;
    register double cosine __asm__("xmm1") = c;
    __asm__ volatile("" : "+x"(sine) : "x"(cosine));
    return sine;
}
