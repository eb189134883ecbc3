/* Compares sine and cosine of trig_scalar.h, for targets without lanes of doubles, with
 * those of trig.h for all 2^32 inputs. Prints one line; exit 1 on any difference. */
#include <stdio.h>
#include <time.h>

#define cf_sin lanes_sin
#define cf_cos lanes_cos
#define cf_sincos lanes_sincos
#include "../src/kernels/f32/trig.h"
#undef cf_sin
#undef cf_cos
#undef cf_sincos
#include "../src/kernels/f32/trig_scalar.h"

int main(void) {
    clock_t start = clock();
    uint64_t inputs = 0, different = 0;
    for (uint64_t u = 0; u >> 32 == 0; u++, inputs++) {
        float x = cf_f32((uint32_t)u), s, c, s2, c2;
        lanes_sincos(x, &s, &c);
        cf_sincos(x, &s2, &c2);
        int same = cf_bits32(s) == cf_bits32(s2) && cf_bits32(c) == cf_bits32(c2);
        same &= cf_bits32(cf_sin(x)) == cf_bits32(s) && cf_bits32(cf_cos(x)) == cf_bits32(c);
        if (!same && different++ < 20) printf("  %08x differs\n", (uint32_t)u);
    }
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime(&now));
    printf("scalar inputs=%llu different=%llu cpu=%.0fs %s UTC gcc %s\n", (unsigned long long)inputs,
           (unsigned long long)different, (double)(clock() - start) / CLOCKS_PER_SEC, date, __VERSION__);
    return different != 0;
}
