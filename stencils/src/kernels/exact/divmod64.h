/* Double remainder and floor division with Python's meaning, step by step as the op table
 * of the graph defines them. Exact fmod, bounded time: eight products modulo the
 * divisor, whatever the inputs. No tables. */
//@ kernel fmod f64 D=DD cf_fmod64: b == 0.0 ? from_bits64(QUIET_NAN64) : fmod_exact64(a, b)
//@ kernel floordiv f64 D=DD cf_floordiv64: floordiv_exact64(a, b)
//@ kernel mod f64 D=DD cf_mod64: mod_exact64(a, b)
#ifndef CF_EXACT_DIVMOD64_H
#define CF_EXACT_DIVMOD64_H

#include "../../round64.h"

#define QUIET_NAN64 (INFINITY_BITS64 | 0x8000000000000u)

/* The exponent of the unit of the last place, as the biased exponent of the number
 * (1 for subnormals), and the significand in those units. */
TEXT u32 unit_exponent64(u64 magnitude) {
    u32 e = (u32)(magnitude >> 52);
    return e ? e : 1u;
}

TEXT u64 significand64(u64 magnitude) {
    u64 m = magnitude & 0xfffffffffffffu;
    return magnitude >> 52 ? m | 0x10000000000000u : m;
}

/* a * b modulo m, for a, b < m < 2^53. The quotient in doubles is at most 3 off, so that
 * the remainder, known modulo 2^64, lies between -3m and 4m. */
TEXT u64 product_mod(u64 a, u64 b, u64 m) {
    u64 q = (u64)(i64)((f64)(i64)a * (f64)(i64)b / (f64)(i64)m);
    u64 r = a * b - q * m + 3u * m;
    r = r >= 4u * m ? r - 4u * m : r;
    r = r >= 2u * m ? r - 2u * m : r;
    r = r >= m ? r - m : r;
    return r;
}

/* a modulo m, for a < 2^63 of at most 53 significant bits, m < 2^53 and a / m < 2^53, by
 * doubles as well: not every core divides 64-bit integers. The quotient, rounded once, is at
 * most 1 too large. */
TEXT u64 remainder64(u64 a, u64 m) {
    u64 q = (u64)(i64)((f64)(i64)a / (f64)(i64)m);
    u64 r = a - q * m;
    return (i64)r < 0 ? r + m : r;
}

/* 2^e modulo m, for e <= 104. */
TEXT u64 power_mod(u32 e, u64 m) {
    u32 half = e >> 1;
    return product_mod(remainder64((u64)1 << half, m), remainder64((u64)1 << (e - half), m), m);
}

/* r * 2^shift modulo m, for r < 2^53, 0 < m < 2^53 and shift <= 2045: 2^shift is
 * (2^(shift / 32))^32 * 2^(shift % 32). */
TEXT u64 shift_mod64(u64 r, u32 shift, u64 m) {
    if (shift <= 10u && m >> 10 != 0) return remainder64(r << shift, m); /* most of daily life */
    r = remainder64(r, m);
    u64 p = remainder64((u64)1 << (shift & 31u), m);
    if (shift >= 32u) {
        u64 q = power_mod(shift >> 5, m);
#pragma GCC unroll 5
        for (int k = 0; k < 5; k++) q = product_mod(q, q, m);
        p = product_mod(p, q, m);
    }
    return product_mod(r, p, m);
}

/* 2^(e - 1075), e from 1 to 2046: subnormal below e = 53. */
TEXT f64 unit64(u32 e) { return from_bits64(e >= 53u ? (u64)(e - 52u) << 52 : (u64)1 << (e - 1u)); }

/* fmod(a, b) for b != 0: exact, with the sign of a. */
TEXT f64 fmod_exact64(f64 a, f64 b) {
    u64 ua = bits64(a) & MAGNITUDE64, ub = bits64(b) & MAGNITUDE64;
    if (ua >= INFINITY_BITS64 || ub > INFINITY_BITS64) return from_bits64(QUIET_NAN64);
    if (ua < ub) return a;
    u32 ea = unit_exponent64(ua), eb = unit_exponent64(ub);
    u64 r = shift_mod64(significand64(ua), ea - eb, significand64(ub));
    f64 magnitude = (f64)(i64)r * unit64(eb); /* a multiple of the unit below 2^53 units: exact */
    return from_bits64(bits64(magnitude) | (bits64(a) & SIGN_BIT64));
}

TEXT f64 zero_like64(f64 a) { return from_bits64(bits64(a) & SIGN_BIT64); }

TEXT f64 mod_exact64(f64 a, f64 b) {
    if (b == 0.0) return from_bits64(QUIET_NAN64);
    f64 m = fmod_exact64(a, b);
    if (m == 0.0) return zero_like64(b);
    if ((b < 0.0) != (m < 0.0)) m = m + b;
    return m;
}

TEXT f64 floordiv_exact64(f64 a, f64 b) {
    f64 quotient = a / b;
    if (b == 0.0) return quotient;
    f64 m = fmod_exact64(a, b);
    f64 d = (a - m) / b;
    if (m != 0.0 && (b < 0.0) != (m < 0.0)) d = d - 1.0;
    if (d == 0.0) return zero_like64(quotient);
    f64 q = floor_f64(d);
    return d - q > 0.5 ? q + 1.0 : q;
}

#endif
