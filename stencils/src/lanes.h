/* What vectors of four and of eight lanes have in common. A register is an f32xN to the builder, whatever its lanes hold; a bool is 0 or
 * 1 in every lane, as in an integer register. */
#ifndef CF_LANES_H
#define CF_LANES_H

#include "stencil.h"

/* A function of n lanes by an expression of a and b, which are vectors of type t. */
#define LANES2(n, name, t, expression)                \
    TEXT f32x##n name##x##n(f32x##n x, f32x##n y) {   \
        t##x##n a = (t##x##n)x, b = (t##x##n)y;       \
        return (f32x##n)(expression);                 \
    }
#define LANES1(n, name, t, expression)     \
    TEXT f32x##n name##x##n(f32x##n x) {   \
        t##x##n a = (t##x##n)x;            \
        return (f32x##n)(expression);      \
    }
#define TRUTH(n, mask) ((u32x##n)(mask) >> 31)

/* What the compiler has one instruction for, everywhere. */
#define PLAIN_LANES(n)             \
    LANES2(n, add_i32, u32, a + b) \
    LANES2(n, sub_i32, u32, a - b) \
    LANES2(n, and_, u32, a & b)    \
    LANES2(n, or_, u32, a | b)     \
    LANES2(n, xor_, u32, a ^ b)    \
    LANES1(n, to_f32_i32, i32, __builtin_convertvector(a, f32x##n))

#endif
