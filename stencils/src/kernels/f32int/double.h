/* The operations of IEEE binary64 on its bits, in integers: what the two-argument
 * kernels do on cores whose FPU is single, or that have none. Each is rounded to
 * nearest even, as hardware does, so those kernels give the same bits from the same
 * source. Not complete, by what the kernels need: results below 2^-1022 become
 * zeros (the kernels add them to numbers that they cannot change), and NaNs are
 * 0x7ff8000000000000.
 *
 * Compared with hardware in proof/double.c. No loop. */
#ifndef CF_INTEGER_DOUBLE_H
#define CF_INTEGER_DOUBLE_H

#include "divide.h"

#define CFD_SIGN     0x8000000000000000ull
#define CFD_INF      0x7ff0000000000000ull
#define CFD_NAN      0x7ff8000000000000ull
#define CFD_HIDDEN   0x0010000000000000ull /* the leading bit, not stored */
#define CFD_FRACTION 0x000fffffffffffffull
#define CFD_BIAS     1023

CF_INLINE int32_t cfd_exponent(uint64_t a) { return (int32_t)((uint32_t)(a >> 52) & 0x7ffu); }

CF_INLINE uint64_t cfd_significand(uint64_t a) { return (a & CFD_FRACTION) | CFD_HIDDEN; }

CF_INLINE uint32_t cfd_clz(uint64_t a) { /* a is not 0 */
    uint32_t high = (uint32_t)(a >> 32);
    return high ? cfi_clz(high) : 32u + cfi_clz((uint32_t)a);
}

/* m 2^(e - 1023 - 63) rounded, m with bit 63 set and its last bit sticky. */
CF_INLINE uint64_t cfd_round(uint64_t sign, int32_t e, uint64_t m) {
    uint32_t rest = (uint32_t)m & 0x7ffu;
    m >>= 11;
    m += (uint32_t)(rest > 0x400u) | ((uint32_t)(rest == 0x400u) & (uint32_t)m);
    if (e <= 0) return sign;
    if (e >= 0x7ff) return sign | CFD_INF;
    return sign | ((((uint64_t)(uint32_t)(e - 1)) << 52) + m); /* carries into the exponent */
}

/* a b, as the upper 64 bits with the lower ones sticky, and 2^64 times the rest lost. */
CF_INLINE uint64_t cfd_mul_high(uint64_t a, uint64_t b) {
    uint32_t ah = (uint32_t)(a >> 32), al = (uint32_t)a, bh = (uint32_t)(b >> 32), bl = (uint32_t)b;
    uint64_t ll = cfi_mul(al, bl), lh = cfi_mul(al, bh), hl = cfi_mul(ah, bl);
    uint64_t middle = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    uint64_t high = cfi_mul(ah, bh) + (lh >> 32) + (hl >> 32) + (middle >> 32);
    return high | (((uint32_t)middle | (uint32_t)ll) != 0u);
}

CF_INLINE uint64_t cfd_add(uint64_t a, uint64_t b) {
    if ((a << 1) < (b << 1)) { /* the larger magnitude first */
        uint64_t t = a;
        a = b;
        b = t;
    }
    int32_t ea = cfd_exponent(a), eb = cfd_exponent(b);
    uint64_t sign = a & CFD_SIGN, differ = (a ^ b) & CFD_SIGN;
    if (ea == 0x7ff) return (a & CFD_FRACTION) != 0u || (eb == 0x7ff && differ) ? CFD_NAN : a;
    if (eb == 0) return ea == 0 ? a & b : a;
    uint64_t ma = cfd_significand(a) << 10, mb = cfd_significand(b) << 10;
    uint32_t d = (uint32_t)(ea - eb);
    if (d > 62u) d = 62u; /* leaves a sticky bit */
    if (d) mb = mb >> d | (uint64_t)(mb << (64u - d) != 0u);
    ma = differ ? ma - mb : ma + mb;
    if (ma == 0u) return 0u;
    uint32_t n = cfd_clz(ma);
    return cfd_round(sign, ea + 1 - (int32_t)n, ma << n);
}

CF_INLINE uint64_t cfd_mul(uint64_t a, uint64_t b) {
    uint64_t sign = (a ^ b) & CFD_SIGN;
    int32_t ea = cfd_exponent(a), eb = cfd_exponent(b);
    if (ea == 0x7ff || eb == 0x7ff) {
        uint64_t ua = a & ~CFD_SIGN, ub = b & ~CFD_SIGN;
        return ua > CFD_INF || ub > CFD_INF || ua == 0u || ub == 0u ? CFD_NAN : sign | CFD_INF;
    }
    if (ea == 0 || eb == 0) return sign;
    uint64_t m = cfd_mul_high(cfd_significand(a) << 11, cfd_significand(b) << 11);
    int32_t e = ea + eb - (CFD_BIAS - 1);
    if (!(m >> 63)) {
        m = m << 1 | (m & 1u); /* 2^-62 of the product at least: the bit shifted in is sticky */
        e--;
    }
    return cfd_round(sign, e, m);
}

CF_INLINE uint64_t cfd_div(uint64_t a, uint64_t b) {
    uint64_t sign = (a ^ b) & CFD_SIGN;
    int32_t ea = cfd_exponent(a), eb = cfd_exponent(b);
    if (ea == 0x7ff || eb == 0x7ff) {
        if ((a & ~CFD_SIGN) > CFD_INF || (b & ~CFD_SIGN) > CFD_INF || ea == eb) return CFD_NAN;
        return ea == 0x7ff ? sign | CFD_INF : sign;
    }
    if (eb == 0) return ea == 0 ? CFD_NAN : sign | CFD_INF;
    if (ea == 0) return sign;
    uint64_t n = cfd_significand(a), d = cfd_significand(b);
    uint64_t q = cfi_div(n << 11, d << 11) >> 8; /* n 2^55 / d, one off at most */
    int64_t rest = (int64_t)((n << 55) - q * d);
    if (rest < 0) {
        q--;
        rest += (int64_t)d;
    } else if (rest >= (int64_t)d) {
        q++;
        rest -= (int64_t)d;
    }
    uint32_t shift = q >> 55 ? 8u : 9u;
    return cfd_round(sign, ea - eb + CFD_BIAS + 8 - (int32_t)shift, q << shift | (uint64_t)(rest != 0));
}

CF_INLINE uint64_t cfd_sqrt(uint64_t a) {
    int32_t e = cfd_exponent(a);
    if (e == 0) return a;
    if (a >> 63) return CFD_NAN;
    if (e == 0x7ff) return a == CFD_INF ? a : CFD_NAN;
    e -= CFD_BIAS;
    uint64_t w = cfd_significand(a) << (10u + ((uint32_t)e & 1u)); /* Q64 in [1/4, 1) */
    uint64_t q = cfi_sqrt64(w) >> 9; /* the root in units of 2^-54, one off at most */
    int64_t rest = (int64_t)((w << 44) - q * q);
    if (rest < 0) {
        q--;
        rest += (int64_t)(2u * q + 1u);
    } else if (rest > (int64_t)(2u * q)) {
        rest -= (int64_t)(2u * q + 1u);
        q++;
    }
    return cfd_round(0, (e >> 1) + CFD_BIAS, q << 10 | (uint64_t)(rest != 0));
}

CF_INLINE uint32_t cfd_unordered(uint64_t a, uint64_t b) {
    return (uint32_t)((a & ~CFD_SIGN) > CFD_INF) | (uint32_t)((b & ~CFD_SIGN) > CFD_INF);
}

/* a < b, false for NaN */
CF_INLINE uint32_t cfd_less(uint64_t a, uint64_t b) {
    if (cfd_unordered(a, b)) return 0u;
    if (((a | b) & ~CFD_SIGN) == 0u) return 0u;
    if ((a ^ b) >> 63) return (uint32_t)(a >> 63);
    return a >> 63 ? (uint32_t)(b < a) : (uint32_t)(a < b);
}

CF_INLINE uint64_t cfd_from_float(uint32_t u) {
    uint64_t sign = (uint64_t)(u & CF_SIGN) << 32;
    uint32_t e = u >> 23 & 0xffu, m = u & 0x7fffffu;
    if (e == 0xffu) return m ? CFD_NAN : sign | CFD_INF;
    if (e == 0u) {
        if (m == 0u) return sign;
        uint32_t n = cfi_clz(m) - 8u;
        m = m << n & 0x7fffffu;
        e = 1u - n;
    }
    return sign | ((uint64_t)((e + (uint32_t)(CFD_BIAS - 127)) << 20 | m >> 3) << 32) | m << 29;
}

CF_INLINE uint32_t cfd_to_float(uint64_t a) {
    uint32_t sign = (uint32_t)(a >> 32) & CF_SIGN;
    int32_t e = cfd_exponent(a) - (CFD_BIAS - 127);
    if (e == 0x7ff - (CFD_BIAS - 127)) return (a & CFD_FRACTION) != 0u ? CF_NAN : sign | CF_INF;
    if (e < -24) return sign;
    uint32_t high = (uint32_t)(cfd_significand(a) >> 22); /* 31 bits: 24, 7 beyond */
    high |= (uint32_t)(((uint32_t)a & 0x3fffffu) != 0u);
    if (e < 1) { /* subnormal */
        uint32_t shift = (uint32_t)(1 - e);
        high = high >> shift | (uint32_t)(high << (32u - shift) != 0u);
        e = 1;
        uint32_t rest = high & 0x7fu;
        high >>= 7;
        return sign | (high + ((uint32_t)(rest > 0x40u) | ((uint32_t)(rest == 0x40u) & high)));
    }
    uint32_t rest = high & 0x7fu;
    high >>= 7;
    high += (uint32_t)(rest > 0x40u) | ((uint32_t)(rest == 0x40u) & high);
    uint32_t out = ((uint32_t)(e - 1) << 23) + high; /* carries into the exponent */
    return sign | (e >= 255 || out >= CF_INF ? CF_INF : out);
}

CF_INLINE uint64_t cfd_from_int(int32_t i) {
    if (i == 0) return 0u;
    uint64_t sign = i < 0 ? CFD_SIGN : 0u;
    uint32_t m = i < 0 ? 0u - (uint32_t)i : (uint32_t)i, n = cfi_clz(m);
    return sign | (((uint64_t)(uint32_t)(CFD_BIAS + 31 - 1 - (int32_t)n) << 52) + ((uint64_t)(m << n) << 21));
}

#endif
