/* Float remainder and floor division with Python's meaning, step by step as the op
 * table of the graph defines them. Exact fmod, bounded time: one or seven integer
 * divisions on 64-bit cores, eleven steps of a reciprocal on 32-bit ones. */
//@ kernel fmod f32 F=FF: b == 0.0f ? from_bits(INFINITY_BITS | 0x400000u) : fmod_exact(a, b)
//@ kernel floordiv mod f32 F=FF: {op}_exact(a, b)
#ifndef CF_EXACT_DIVMOD_H
#define CF_EXACT_DIVMOD_H

#include "../f32int/reciprocal.h"
#include "../../round.h"

/* The exponent of the unit of the last place, as the biased exponent of the number
 * (1 for subnormals), and the significand in those units. */
TEXT u32 unit_exponent(u32 magnitude) {
    u32 e = magnitude >> 23;
    return e ? e : 1u;
}

TEXT u32 significand_bits(u32 magnitude) {
    u32 m = magnitude & 0x7fffffu;
    return magnitude >> 23 ? m | 0x800000u : m;
}

/* 2^(e - 150), e from 1 to 254: subnormal below e = 24. */
TEXT f32 unit(u32 e) { return from_bits(e >= 24u ? (e - 23u) << 23 : 1u << (e - 1u)); }

#if UINTPTR_MAX > 0xffffffffu

/* A remainder below 2^24 and a shift of at most 40 stay below 2^64. */
#define STEP_BITS 40u
#define STEPS 7 /* 7 * 40 >= 253, the largest difference of exponents */

/* r * 2^shift modulo m, for r and m below 2^24. */
TEXT u32 shift_mod(u32 r, u32 shift, u32 m) {
    if (shift <= STEP_BITS) return (u32)(((uint64_t)r << shift) % m);
#pragma GCC unroll 7
    for (int k = 0; k < STEPS; k++) {
        u32 s = shift < STEP_BITS ? shift : STEP_BITS;
        r = (u32)(((uint64_t)r << s) % m);
        shift -= s;
    }
    return r;
}

#else

/* r * 2^shift modulo m, for r and m below 2^24: without a division of 64 bits, which
 * would be a call. With the reciprocal of m at hand, low by a few units of its 32 bits,
 * the quotient of r * 2^24 and m is right or one low. */
#define STEP_BITS 24u
#define STEPS 11 /* 11 * 24 >= 253, the largest difference of exponents */

TEXT u32 shift_mod(u32 r, u32 shift, u32 m) {
    u32 n = cfi_clz(m);
    u32 inverse = cfi_reciprocal(m << n);
    r -= (cfi_mulh(r, inverse) >> (31u - n)) * m;
    r = r >= m ? r - m : r;
#pragma GCC unroll 11
    for (int k = 0; k < STEPS; k++) {
        u32 s = shift < STEP_BITS ? shift : STEP_BITS;
        u32 q = cfi_mulh(r << n, inverse) >> (31u - s);
        r = (r << s) - q * m; /* below 2 m */
        r = r >= m ? r - m : r;
        shift -= s;
    }
    return r;
}

#endif

/* fmod(a, b) for b != 0: exact, with the sign of a. */
TEXT f32 fmod_exact(f32 a, f32 b) {
    u32 ua = bits(a) & MAGNITUDE, ub = bits(b) & MAGNITUDE;
    if (ua >= INFINITY_BITS || ub > INFINITY_BITS) return from_bits(INFINITY_BITS | 0x400000u);
    if (ua < ub) return a;
    u32 ea = unit_exponent(ua), eb = unit_exponent(ub);
    u32 r = shift_mod(significand_bits(ua), ea - eb, significand_bits(ub));
    f32 magnitude = (f32)r * unit(eb); /* a multiple of the unit below 2^24 units: exact */
    return from_bits(bits(magnitude) | (bits(a) & SIGN_BIT));
}

TEXT f32 zero_like(f32 a) { return from_bits(bits(a) & SIGN_BIT); }

TEXT f32 mod_exact(f32 a, f32 b) {
    if (b == 0.0f) return from_bits(INFINITY_BITS | 0x400000u);
    f32 m = fmod_exact(a, b);
    if (m == 0.0f) return zero_like(b);
    if ((b < 0.0f) != (m < 0.0f)) m = m + b;
    return m;
}

TEXT f32 floordiv_exact(f32 a, f32 b) {
    f32 quotient = a / b;
    if (b == 0.0f) return quotient;
    f32 m = fmod_exact(a, b);
    f32 d = (a - m) / b;
    if (m != 0.0f && (b < 0.0f) != (m < 0.0f)) d = d - 1.0f;
    if (d == 0.0f) return zero_like(quotient);
    f32 q = round_floor(d);
    return d - q > 0.5f ? q + 1.0f : q;
}

#endif
