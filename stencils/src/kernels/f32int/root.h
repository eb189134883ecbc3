/* sqrtf (for cores without FPU), cbrtf, correctly rounded for all 2^32 inputs.
 * Integers only. No loop, no slow path.
 * Method: 1/sqrt or 1/cbrt to about 2^-29 by byte table and three Newton steps, 24-bit candidate that is right or one
 *   low, then the exact integer comparison with the midpoint decides (no error analysis of the last bit needed).
 * Tables: sqrt 24 bytes, cbrt 28.
 * Instructions, average / worst seen: sqrt M4F 52/59, M3 50/57, M0 301/326, rv32imac 63/63; cbrt 83/90, 81/88, 583/610 (M4F, M3, M0). */
//@ kernel cbrt f32 F=F
//@ kernel sqrt f32 F=F softfloat
#ifndef CF_INTEGER_ROOT_H
#define CF_INTEGER_ROOT_H

#include "fixed.h"
#include "divide.h"

/* proof/derive/integer_hyp.py */
static const cfi_byte cfi_ct[28] = {
    246, 230, 218, 208, 199, 192, 186, 180, 175, 171, 167, 163, 160, 157, 154, 151, 148, 146, 144, 142, 140, 138,
    136, 135, 133, 132, 130, 129,
};

/* integer square root for cores without FPU */
CFI_SHARED uint32_t cfi_sqrtb(uint32_t u) {
    int32_t e = (int32_t)(u >> 23);
    uint32_t m = (u & 0x7fffffu) | 0x800000u;
    if (u - 0x800000u >= 0x7f000000u) {
        if ((u & 0x7fffffffu) == 0 || u == CF_INF) return u;
        if (u >= CF_INF) return CF_NAN;
        uint32_t n = cfi_clz(u) - 8u;
        m = u << n; e = 1 - (int32_t)n;
    }
    e += 127;                                   /* biased exponent sum; odd: even power */
    uint32_t odd = (uint32_t)e & 1u;            /* x = m*2^-23 * 2^(e-254) */
    uint32_t w = m << 7 << odd;                 /* Q32 in [1/4,1) */
    uint32_t s = cfi_mulh(w, cfi_rsq(w)), q = (s + 56u) >> 7;   /* s within a few 2^-31: q exact or one low */
    uint32_t rem = (m << 23 << odd) - q * q - q;       /* w 2^48 - q^2 - q, exact mod 2^32 */
    q += (uint32_t)((int32_t)rem > 0);
    return q + ((uint32_t)((e >> 1) - 1) << 23);
}

CF_INLINE float cf_sqrt(float x) { return cf_f32(cfi_sqrtb(cf_bits32(x))); }

CFI_SHARED uint32_t cfi_cbrtb(uint32_t u) {
    uint32_t ax = u & 0x7fffffffu, sg = u & 0x80000000u, m = (u & 0x7fffffu) | 0x800000u, e = ax >> 23;
    if (ax - 0x800000u >= 0x7f000000u) {
        if (ax > CF_INF) return CF_NAN;
        if (ax == 0 || ax == CF_INF) return u;
        uint32_t n = cfi_clz(ax) - 8u;
        m = ax << n; e = 1u - n;
    }
    e += 152u;                                     /* x = m*2^-23 * 2^(e-279) */
    uint32_t q = (e * 0x5556u) >> 16, r = e - 3u * q;   /* floor(e/3) */
    uint32_t z = m << 6 << r;                      /* Q32 in [1/8,1): m*2^-23*2^r/8 */
    uint32_t c = (uint32_t)cfi_ct[(z >> 27) - 4u] << 24, t;   /* z^(-1/3), Q31 */
#define CFI_CSTEP /* c += c(1 - z c^3)/3 */ \
    t = (0x20000000u - cfi_mulh(cfi_mulh(cfi_mulh(c, c), z), c)) << 4; \
    c += (uint32_t)(cfi_smul((int32_t)(c >> 1), (int32_t)(cfi_smul((int32_t)t, 0x55555555) >> 32)) >> 32)
    CFI_CSTEP; CFI_CSTEP; CFI_CSTEP;
#undef CFI_CSTEP
    uint32_t s = cfi_mulh(cfi_mulh(c, c), z);      /* cbrt(z), Q30 */
    uint32_t v = (s + 24u) >> 6;                   /* exact or one low */
    uint32_t w = 2u * v + 1u;
    uint64_t w2 = cfi_mul(w, w);
    uint64_t w3 = cfi_mul((uint32_t)w2, w) + ((uint64_t)((uint32_t)(w2 >> 32) * w) << 32);
    uint64_t Z = (uint64_t)(m << r) << 49;         /* 8 z 2^72 mod 2^64 */
    v += (uint32_t)((int64_t)(Z - w3) > 0);
    return (v + ((q + 33u) << 23)) | sg;
}

CF_INLINE float cf_cbrt(float x) { return cf_f32(cfi_cbrtb(cf_bits32(x))); }

#endif
