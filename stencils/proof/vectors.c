/* Writes inputs and results of the compiled kernels, for the reference
 * implementation in compiler/eval/crmath to be compared with; lines as in
 * specials.txt. */
#include <stdio.h>

#include "../src/kernels/f32/bits.h"
#include "../src/kernels/f32/kernels.h"
#include "pairs.h"

enum { ONE_ARGUMENT = 192, TWO_ARGUMENTS = 1500 };

int main(void) {
    uint64_t s = 1;
#define X(name, mirror)                                                             \
    for (int i = 0; i < ONE_ARGUMENT; i++) {                                        \
        uint32_t u = i % 2 ? random_float(&s, 0, 255) : random_float(&s, 118, 14);  \
        printf("%s %08x %08x\n", #name, u, cf_bits32(cf_##name(cf_f32(u))));        \
    }
#include "functions.h"
#undef X
    for (unsigned i = 0; i < TWO_ARGUMENTS; i++) {
        struct pair p = atan2_pair(&s, i);
        printf("atan2 %08x %08x %08x\n", p.a, p.b, cf_bits32(cf_atan2(cf_f32(p.a), cf_f32(p.b))));
        p = pow_pair(&s, i);
        printf("pow %08x %08x %08x\n", p.a, p.b, cf_bits32(cf_pow(cf_f32(p.a), cf_f32(p.b))));
    }
    for (unsigned i = 0; i < TWO_ARGUMENTS; i++) {
        struct pair p = atan2_pair(&s, i);
        printf("hypot %08x %08x %08x\n", p.a, p.b, cf_bits32(cf_hypot(cf_f32(p.a), cf_f32(p.b))));
    }
    return 0;
}
