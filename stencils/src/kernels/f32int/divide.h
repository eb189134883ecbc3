/* 64-bit quotient and square root for tan, atan, asin, acos, tanh, sqrt. */
#ifndef CF_INTEGER_DIVIDE_H
#define CF_INTEGER_DIVIDE_H

#include "fixed.h"
#include "tables.h"

/* proof/derive/integer_atan.py */
static const cfi_byte cfi_rt[32] = {
    252, 245, 237, 231, 224, 218, 213, 207, 202, 197, 193, 188, 184, 180, 176, 172, 169, 165, 162, 159, 156, 153,
    150, 148, 145, 142, 140, 138, 135, 133, 131, 129,
};

static const cfi_byte cfi_rs[24] = {
    248, 235, 224, 214, 205, 197, 190, 184, 178, 173, 168, 164, 160, 156, 153, 149, 146, 143, 141, 138, 136, 133,
    131, 129,
};

/* N/D * 2^63 for N, D in [2^63,2^64); relative error about 2^-61.
 * Start from 8 bits of a table of 32 (2^-5.9), three Newton steps that stay below 1/D, one exact remainder. */
CFI_SHARED uint64_t cfi_div(uint64_t N, uint64_t D) {
    uint32_t d = (uint32_t)(D >> 32);
    uint32_t R = (uint32_t)cfi_rt[(d >> 26) & 31u] << 24;          /* 1/d, Q31 */
    R = cfi_mulh(R, ~cfi_mulh(d, R)) << 1;
    R = cfi_mulh(R, ~cfi_mulh(d, R)) << 1;
    R = (uint32_t)(cfi_mul(R, ~cfi_mulh(d, R)) >> 31) - 3u;        /* < 2^63/D */
    uint32_t q = cfi_mulh((uint32_t)(N >> 32), R);                 /* Q31, low */
    uint64_t rem = N - (cfi_mad32(0, D, q) << 1);                  /* Q64, >= 0, small */
    return cfi_mad32((uint64_t)q << 32, rem, R);
}

/* 1/sqrt(w), w = wh/2^32 in [1/4,1), Q31, low by a few units */
CF_INLINE uint32_t cfi_rsq(uint32_t wh) {
    uint32_t r = (uint32_t)cfi_rs[(wh >> 27) - 8u] << 24;
    r = cfi_mulh(r, 0xbfffffffu - cfi_mulh(cfi_mulh(r, r), wh)) << 1;
    r = cfi_mulh(r, 0xbfffffffu - cfi_mulh(cfi_mulh(r, r), wh)) << 1;
    return (uint32_t)(cfi_mul(r, 0xbfffffffu - cfi_mulh(cfi_mulh(r, r), wh)) >> 31) - 4u;
}

/* sqrt(w), w Q64 in [1/4,1) -> Q63, relative error about 2^-60 */
CF_INLINE uint64_t cfi_sqrt64(uint64_t w) {
    uint32_t wh = (uint32_t)(w >> 32), r = cfi_rsq(wh), s = cfi_mulh(wh, r);
    uint64_t rem = w - (cfi_mul(s, s) << 2);                       /* >= 0 */
    return cfi_mad32((uint64_t)s << 32, rem, r >> 1);
}

#endif
