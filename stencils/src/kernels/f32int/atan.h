/* atanf, asinf, acosf, correctly rounded for all 2^32 inputs.
 * Integers only. No loop, no slow path, no exception list.
 * Method: one kernel atan(N/D), N <= D: i/16 near N/D by a byte table, t = (N - D i/16)/(D + N i/16) by one 64-bit
 *   division (byte table, three Newton steps, one remainder), |t| < 0.0364, degree 4 polynomial in t^2, plus atan(i/16).
 *   atan: D or N is 1; asin, acos: point (sqrt(1-x^2), |x|), 1-x^2 exact to 2^-64, 64-bit square root.
 * Component error, largest of 10^6 random arguments: division 2^-57.0, square root 2^-55.9 (relative); polynomial 2^-60.2.
 * Exceptions: none (proof/integer.log). Tables: atan 160 bytes, asin and acos 184.
 * Instructions, average / worst seen: atan M4F 231/233, M3 226/228, M0 1070/1083, rv32imac 333/339;
 *   asin 305/314, 296/305, 1523/1537; acos 313/324, 304/315, 1529/1547 (M4F, M3, M0). */
//@ kernel asin acos atan f32 F=F
#ifndef CF_INTEGER_ATAN_H
#define CF_INTEGER_ATAN_H

#include "fixed.h"
#include "divide.h"

/* proof/derive/integer_atan.py */
static const uint64_t cfi_at[16] = {
    0x0000000000000000ull, 0x0ffaaddb967ef4e3ull, 0x1fd5ba9aac2f6dc6ull, 0x2f72f6979cb6044dull,
    0x3eb6ebf25901bac5ull, 0x4d89dcdc1faf2f35ull, 0x5bd86507937bc23aull, 0x6993bb0f308ff2dbull,
    0x76b19c1586ed3da3ull, 0x832bf4a6d9867e2aull, 0x8f005d5ef7f59f9bull, 0x9a2f80e671bdda20ull,
    0xa4bc7d1934f70924ull, 0xaeac4c38b4d8c080ull, 0xb8053e2bc2319e74ull, 0xc0ce85b8ac526641ull,
};

static const uint64_t cfi_ac[3] = {
    0x7ffffffffffffff9ull, 0x001555555555536bull, 0x0000066666664fcbull,
};
#define CFI_A3 2454261049u /* Q61 */
#define CFI_A4 3718190u
#define CFI_PIO2 0xc90fdaa22168c235ull /* Q63 */
#define CFI_PI 0xc90fdaa22168c235ull /* Q62 */

/* th = atan(N/D), 0 < N <= D, D in [2^62,2^63); N = Nn >> ns with Nn in [2^63,2^64), ns >= 1.
 * Returns the float bits of th (mode 0), pi/2 - th (1), pi/2 + th (2), pi - th (3), or'ed with mode's bit 31. */
CFI_SHARED uint32_t cfi_atan2(uint64_t Nn, uint64_t D, uint32_t ns, uint32_t mode) {
    uint64_t N = ns < 64u ? Nn >> ns : 0;
    uint32_t sg = mode & 0x80000000u;
    mode &= 3u;
    /* i/16 near N/D */
    uint32_t i = ((uint32_t)(N >> 54) * cfi_rt[(uint32_t)(D >> 57) & 31u] + 2048u) >> 12;
    i -= i >> 4;
    uint32_t c = i << 28, neg = 0;
    CFI_OPAQUE(c);
    if (i) {
        uint64_t d = cfi_mad32(D, N, c);                 /* D + N i/16 */
        N -= cfi_mad32(0, D, c);                         /* N - D i/16, small */
        D = d;
        neg = (uint32_t)((int64_t)N >> 63);
        N = (N ^ (((uint64_t)neg << 32) | neg)) + (neg & 1u);
        uint32_t h = (uint32_t)(N >> 32), l = (uint32_t)N;
        ns = 0;
        if (h == 0) { h = l | 1u; l = 0; ns = 32; }      /* |1: N = 0 gives t below 2^-62 */
        uint32_t n = cfi_clz(h);
        ns += n;
        Nn = ((uint64_t)((h << n) | ((l >> 1) >> (31u - n))) << 32) | (l << n);
    }
    if (!(D >> 63)) { D <<= 1; ns--; }
    uint64_t Q = cfi_div(Nn, D);                         /* t = Q*2^-63-ns */
    uint32_t qh = (uint32_t)(Q >> 32), ql = (uint32_t)Q, sh = ns - 4u;
    uint32_t th = qh, tl = ql;                           /* t in Q67 */
    if (sh & 32u) { tl = th; th = 0; }
    if (sh > 63u) tl = 0;
    sh &= 31u;
    tl = (tl >> sh) | ((th << 1) << (31u - sh)); th >>= sh;
    CFI_OPAQUE(th); CFI_OPAQUE(tl);
    uint32_t x = cfi_mulh(th, tl);
    uint64_t v = (cfi_mul(th, th) + x + x) << 3;         /* 2^9 t^2, Q64 */
    uint32_t vh = (uint32_t)(v >> 32);
    uint32_t a = CFI_A3 - cfi_mulh(CFI_A4, vh);
    uint64_t y = cfi_ac[2] - (cfi_mul(a, vh) >> 30);
    y = cfi_ac[1] - cfi_mad(0, y, v);
    y = cfi_ac[0] - cfi_mad(0, y, v);                    /* atan(t)/t, Q63 */
    if ((i | mode) == 0)                                 /* small result: relative */
        return cfi_fpack(cfi_mad(0, Q, y), 1 - (int32_t)ns) | sg;
    uint64_t t = cfi_mad(0, ((uint64_t)th << 32) | tl, y) >> 2;   /* Q64 */
    t = cfi_at[i] + (neg ? 0u - t : t);                  /* theta, Q64 */
    int32_t e = -1;
    if (mode == 1u) { t = CFI_PIO2 - (t >> 1); e = 0; }
    else if (mode) { t >>= 2; t = mode == 2u ? (CFI_PIO2 >> 1) + t : CFI_PI - t; e = 1; }
    return cfi_fpack(t, e) | sg;
}

CFI_SHARED uint32_t cfi_atanb(uint32_t u) {
    uint32_t ax = u & 0x7fffffffu, ex = ax >> 23, sg = u & 0x80000000u;
    if (ex - 115u >= 42u) {
        if (ax > CF_INF) return CF_NAN;
        return ex < 115u ? u : sg | 0x3fc90fdbu;         /* |x| < 2^-12, >= 2^30 */
    }
    uint64_t M = (uint64_t)((u << 8) | 0x80000000u) << 32, D = 1ull << 62;
    uint32_t ns = 128u - ex;
    if (ex >= 127u) { D = M >> 1; M = 1ull << 63; ns = ex - 126u; sg |= 1u; }
    return cfi_atan2(M, D, ns, sg);
}

/* asin (cosine = 0) and acos (1): angle of the point (sqrt(1-x^2), |x|) */
CFI_SHARED uint32_t cfi_asinb(uint32_t u, uint32_t cosine) {
    uint32_t ax = u & 0x7fffffffu, ex = ax >> 23, sg = u & 0x80000000u;
    if (ex - 115u >= 12u) {                              /* |x| < 2^-12 or |x| >= 1 or nan */
        if (ex >= 127u) {
            if (ax != 0x3f800000u) return CF_NAN;
            return !cosine ? sg | 0x3fc90fdbu : sg ? 0x40490fdbu : 0;
        }
        if (!cosine) return u;
        if (ex < 101u) return 0x3fc90fdbu;
    }
    uint32_t m = (u << 8) | 0x80000000u, xs = 126u - ex; /* |x| = m*2^-32 >> xs */
    uint64_t W = 0u - (cfi_mul(m, m) >> (2u * xs));      /* 1 - x^2, Q64 */
    uint32_t z = (uint32_t)(W >> 32) ? cfi_clz((uint32_t)(W >> 32)) & ~1u : 32u, cs = z >> 1;
    uint64_t C = cfi_sqrt64(W << z) << 1;                /* sqrt(1-x^2) = C*2^-64 >> cs */
    uint64_t X = (uint64_t)m << 32;
    uint32_t mode = cosine ? 1u + (sg >> 31) : sg;       /* for |x| < sqrt(1-x^2): acos = pi/2 -+ th, asin = +-th */
    if (cs > xs || (cs == xs && X > C)) {                /* |x| larger: xs = 0 */
        uint64_t t = X; X = C; C = t;
        uint32_t s = xs; xs = cs; cs = s;
        mode = cosine ? (sg ? 3u : 0u) : sg | 1u;
    }
    return cfi_atan2(X, C >> 1, 1u + xs - cs, mode);
}

CF_INLINE float cf_atan(float x) { return cf_f32(cfi_atanb(cf_bits32(x))); }
CF_INLINE float cf_asin(float x) { return cf_f32(cfi_asinb(cf_bits32(x), 0)); }
CF_INLINE float cf_acos(float x) { return cf_f32(cfi_asinb(cf_bits32(x), 1)); }

#endif
