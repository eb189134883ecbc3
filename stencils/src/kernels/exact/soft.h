/* Rounding, least and greatest on the bits of floats, for cores without float registers.
 * No loop, no table, no float instruction. */
//@ kernel min f32 F=FF softfloat: from_bits(soft_least(bits(a), bits(b)))
//@ kernel max f32 F=FF softfloat: from_bits(soft_greatest(bits(a), bits(b)))
//@ kernel floor f32 F=F softfloat: from_bits(soft_toward(bits(a), SIGN_BIT))
//@ kernel ceil f32 F=F softfloat: from_bits(soft_toward(bits(a), 0u))
//@ kernel trunc f32 F=F softfloat: from_bits(soft_trunc(bits(a)))
//@ kernel round f32 F=F softfloat: from_bits(soft_round(bits(a)))
#ifndef CF_EXACT_SOFT_H
#define CF_EXACT_SOFT_H

#include "../../stencil.h"

#define EXPONENT_ONE  127u /* of numbers from 1 on */
#define EXPONENT_WHOLE 150u /* from here on every float is an integer, infinite or NaN */

/* The bits of the significand behind the point, for 1 <= |a| < 2^23. */
TEXT u32 fraction_mask(u32 a) { return 0x7fffffu >> ((a >> 23 & 255u) - EXPONENT_ONE); }

TEXT u32 soft_trunc(u32 a) {
    u32 e = a >> 23 & 255u;
    if (e < EXPONENT_ONE) return a & SIGN_BIT;
    return e >= EXPONENT_WHOLE ? a : a & ~fraction_mask(a);
}

/* Away from zero where the sign is the given one, else toward it. */
TEXT u32 soft_toward(u32 a, u32 sign) {
    u32 e = a >> 23 & 255u, away = (a & SIGN_BIT) == sign;
    if (e >= EXPONENT_WHOLE) return a;
    if (e < EXPONENT_ONE) {
        u32 zero = a & SIGN_BIT;
        return away && (a & MAGNITUDE) != 0 ? zero | ONE_BITS : zero;
    }
    u32 mask = fraction_mask(a);
    return (a + (away ? mask : 0u)) & ~mask; /* a carry into the exponent is right */
}

/* To nearest, halves to even. */
TEXT u32 soft_round(u32 a) {
    u32 e = a >> 23 & 255u;
    if (e >= EXPONENT_WHOLE) return a;
    if (e < EXPONENT_ONE) { /* more than a half becomes 1 */
        return (a & SIGN_BIT) | ((a & MAGNITUDE) > 0x3f000000u ? ONE_BITS : 0u);
    }
    u32 mask = fraction_mask(a), unit = mask + 1u, half = unit >> 1;
    u32 odd = e == EXPONENT_ONE ? 1u : (a & unit) != 0; /* of 1.x the leading bit is not stored */
    return (a + half - 1u + odd) & ~mask;
}

/* Integers in the order of the numbers, -0 below +0. */
TEXT i32 soft_order(u32 a) { return (i32)(a ^ ((u32)((i32)a >> 31) & MAGNITUDE)); }

TEXT u32 soft_is_nan(u32 a) { return (a & MAGNITUDE) > INFINITY_BITS; }

TEXT u32 soft_least(u32 a, u32 b) {
    if (soft_is_nan(a)) return a;
    if (soft_is_nan(b)) return b;
    return soft_order(a) < soft_order(b) ? a : b;
}

TEXT u32 soft_greatest(u32 a, u32 b) {
    if (soft_is_nan(a)) return a;
    if (soft_is_nan(b)) return b;
    return soft_order(a) > soft_order(b) ? a : b;
}

#endif
