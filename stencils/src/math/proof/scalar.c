/* Compares sine and cosine of trig_scalar.h, for targets without lanes of doubles, with
 * those of trig.h for all 2^32 inputs. Prints the number of differences. */
#include <stdio.h>

#define cf_sin lanes_sin
#define cf_cos lanes_cos
#define cf_sincos lanes_sincos
#include "../trig.h"
#undef cf_sin
#undef cf_cos
#undef cf_sincos
#include "../trig_scalar.h"

int main(void) {
    unsigned long wrong = 0;
    uint32_t u = 0;
    do {
        float x = cf_f32(u), s, c, s2, c2;
        lanes_sincos(x, &s, &c);
        cf_sincos(x, &s2, &c2);
        int same = cf_bits32(s) == cf_bits32(s2) && cf_bits32(c) == cf_bits32(c2);
        same &= cf_bits32(cf_sin(x)) == cf_bits32(s) && cf_bits32(cf_cos(x)) == cf_bits32(c);
        if (!same && wrong++ < 10) printf("%08x differs\n", u);
    } while (++u != 0);
    printf("scalar sin cos sincos: inputs=4294967296 differences=%lu\n", wrong);
    return wrong != 0;
}
