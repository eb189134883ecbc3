/* sinf, cosf, sincosf, tanf, correctly rounded (nearest even) for all 2^32 inputs.
 * Integers only. No loop, no slow path, no exception list.
 * Method: fixed 4-word Payne-Hanek window of 2/pi for every |x| >= 2^-12 (below: x or 1), |x| = (q +- F) pi/2,
 *   |F| <= 1/2, F kept to 94 fraction bits (every float leaves |F| > 2^-32, proved by the sweep: clz needs its top word);
 *   degree 7 polynomials in g = 1 - 4F^2 (all coefficients positive), tail in 32 bits, last four steps in 64 bits;
 *   tan = quotient of both kernels (cfi_div).
 * Kernel error, largest of 10^6 random arguments: sin 2^-57.4, cos 2^-55.5, division 2^-57.0 (relative).
 * Exceptions: none (proof/integer.log). Tables: 144 bytes (2/pi 40, coefficients 104), tan also 32.
 * Instructions, average on [-10,10] / worst seen: sin M4F 159/171, M3 157/168, M0 804/874, rv32imac 248/270;
 *   sincos M4F 266/270, M3 263/267, M0 1418/1429; tan M4F 260/267, M3 267/274, M0 1654/1664. */
//@ kernel sin cos tan f32 F=F
#ifndef CF_INTEGER_TRIG_H
#define CF_INTEGER_TRIG_H

#include "fixed.h"
#include "divide.h"

/* proof/derive/integer_trig.py */
static const uint64_t cfi_tc[2][5] = {
    {0xb504f333f9de6485ull, 0x136c6d2e8763a19full, 0x009c2432ac3187daull, 0x000250e8f7a45df5ull, 0x0000051c9610ec09ull},
    {0x5a827999fcef3243ull, 0x238b0635bac5c878ull, 0x01e82ab55204d69dull, 0x000a382c9ad2e049ull, 0x00001d1aba26eb31ull},
};
static const uint32_t cfi_ta[2][3] = {{494598495u, 1961861u, 5830u}, {3448595099u, 16184768u, 55602u}};

/* 2/pi after two zero words */
static const uint32_t cfi_tpi[10] = {
    0x00000000u, 0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
    0xfe5163abu, 0xdebbc561u,
};

/* |x| (exponent field ex in 115..254, 24-bit m) mod pi/2 by a fixed 4-word window of 2/pi.
 * Returns quadrant q; G[3] = 2|F| as 96-bit fraction, |x| = (q +- |F|) pi/2, neg = sign of F (all ones if negative) */
typedef struct { uint32_t q, neg, h, m, l; } cfi_red;
CF_INLINE cfi_red cfi_rempio2(uint32_t ex, uint32_t m) {
    cfi_red r;
    uint32_t s = ex - 88u, sh = s & 31u, rs = 31u - sh;
    const uint32_t *t = cfi_tpi + (s >> 5);
    uint32_t t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3], t4 = t[4];
    uint32_t w0 = (t0 << sh) | ((t1 >> 1) >> rs), w1 = (t1 << sh) | ((t2 >> 1) >> rs);
    uint32_t w2 = (t2 << sh) | ((t3 >> 1) >> rs), w3 = (t3 << sh) | ((t4 >> 1) >> rs);
    uint64_t p2 = cfi_mul(m, w2) + cfi_mulh(m, w3);
    uint64_t p1 = cfi_mul(m, w1) + (uint32_t)(p2 >> 32);
    uint32_t hi = m * w0 + (uint32_t)(p1 >> 32), mid = (uint32_t)p1, lo = (uint32_t)p2;
    uint32_t neg = (uint32_t)((int32_t)(hi << 2) >> 31);
    r.q = (hi + 0x20000000u) >> 30;
    r.neg = neg;
    hi ^= neg; mid ^= neg; lo ^= neg;
    r.h = (hi << 3) | (mid >> 29);
    r.m = (mid << 3) | (lo >> 29);
    r.l = lo << 3;
    return r;
}

/* g = 1 - G^2 (Q64); even: sin(pi/2 F)/F, odd: cos(pi/2 F), Q63 */
CF_INLINE uint64_t cfi_kern(uint32_t gh, uint32_t gm, const uint64_t *c, const uint32_t *a) {
    uint64_t z = cfi_mul(gh, gh);
    uint32_t t = cfi_mulh(gh, gm);
    z += (uint64_t)t + t;
    uint64_t g = 0u - z;
    uint32_t g1 = (uint32_t)(g >> 32);
    uint32_t y = a[0] + cfi_mulh(a[1] + cfi_mulh(a[2], g1), g1);
    CFI_TIE(c, y);
    uint64_t p = c[4] + (cfi_mul(y, g1) >> 26);
    CFI_TIE(c, (uint32_t)(p >> 32));
    p = cfi_mad(c[3], p, g);
    CFI_TIE(c, (uint32_t)(p >> 32));
    p = cfi_mad(c[2], p, g);
    CFI_TIE(c, (uint32_t)(p >> 32));
    p = cfi_mad(c[1], p, g);
    CFI_TIE(c, (uint32_t)(p >> 32));
    return cfi_mad(c[0], p, g);
}

/* combine: G normalised times S, or C; sign bit sg */
CF_INLINE uint32_t cfi_tfin(const cfi_red *r, uint32_t odd, uint32_t sg) {
    uint64_t P = cfi_kern(r->h, r->m, cfi_tc[odd], cfi_ta[odd]);
    int32_t e = 0;
    if (!odd) {
        uint32_t n = cfi_clz(r->h), rs = 31u - n;
        uint64_t G = ((uint64_t)((r->h << n) | ((r->m >> 1) >> rs)) << 32) | ((r->m << n) | ((r->l >> 1) >> rs));
        P = cfi_mad(0, P, G);
        e = -1 - (int32_t)n;
        sg ^= r->neg & 0x80000000u;
    }
    if (!(P >> 63)) { P <<= 1; e--; }
    return cfi_pack(P, e) | sg;
}

/* cosine = 0: sin, 1: cos */
CFI_SHARED uint32_t cfi_trig(uint32_t u, uint32_t cosine) {
    uint32_t ex = (u >> 23) & 255u;
    if (ex - 115u >= 140u) {
        if (ex == 255u) return CF_NAN;
        return cosine ? 0x3f800000u : u;       /* |x| < 2^-12 */
    }
    cfi_red r = cfi_rempio2(ex, (u & 0x7fffffu) | 0x800000u);
    uint32_t q = r.q + cosine, sg = (u & ((cosine - 1u) << 31)) ^ ((q << 30) & 0x80000000u);
    return cfi_tfin(&r, q & 1u, sg);
}

CF_INLINE float cf_sin(float x) { return cf_f32(cfi_trig(cf_bits32(x), 0)); }
CF_INLINE float cf_cos(float x) { return cf_f32(cfi_trig(cf_bits32(x), 1)); }
CF_INLINE void cf_sincos(float x, float *sn, float *cs) {
    uint32_t u = cf_bits32(x), ex = (u >> 23) & 255u;
    if (ex - 115u >= 140u) {
        *sn = ex == 255u ? cf_f32(CF_NAN) : x;
        *cs = cf_f32(ex == 255u ? CF_NAN : 0x3f800000u);
        return;
    }
    cfi_red r = cfi_rempio2(ex, (u & 0x7fffffu) | 0x800000u);
    uint32_t q = r.q;
    *sn = cf_f32(cfi_tfin(&r, q & 1u, (u ^ (q << 30)) & 0x80000000u));
    q++;
    *cs = cf_f32(cfi_tfin(&r, q & 1u, (q << 30) & 0x80000000u));
}

CFI_SHARED uint32_t cfi_tanb(uint32_t u) {
    uint32_t ex = (u >> 23) & 255u;
    if (ex - 115u >= 140u) return ex == 255u ? CF_NAN : u;
    cfi_red r = cfi_rempio2(ex, (u & 0x7fffffu) | 0x800000u);
    uint64_t S = cfi_kern(r.h, r.m, cfi_tc[0], cfi_ta[0]), C = cfi_kern(r.h, r.m, cfi_tc[1], cfi_ta[1]);
    uint32_t n = cfi_clz(r.h), rs = 31u - n;
    uint64_t G = ((uint64_t)((r.h << n) | ((r.m >> 1) >> rs)) << 32) | ((r.m << n) | ((r.l >> 1) >> rs));
    int32_t e = -(int32_t)n;                    /* sin = S*2^-63 * 2^(e-1), cos = C*2^-63 */
    S = cfi_mad(0, S, G);
    if (!(S >> 63)) { S <<= 1; e--; }
    if (C >> 63) e--; else C <<= 1;             /* tan = S/C * 2^e */
    uint32_t sg = (u ^ r.neg) & 0x80000000u;
    if (r.q & 1u) { uint64_t t = S; S = C; C = t; e = -e; sg ^= 0x80000000u; }
    uint64_t Q = cfi_div(S, C);
    if (!(Q >> 63)) { Q <<= 1; e--; }
    return cfi_pack(Q, e) | sg;
}

CF_INLINE float cf_tan(float x) { return cf_f32(cfi_tanb(cf_bits32(x))); }

#endif
