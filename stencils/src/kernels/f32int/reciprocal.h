/* The start of cfi_div by itself: a reciprocal of 32 bits. */
#ifndef CF_INTEGER_RECIPROCAL_H
#define CF_INTEGER_RECIPROCAL_H

#include "divide.h"

/* 2^63/d for d with bit 31 set, low by a few units. */
CF_INLINE uint32_t cfi_reciprocal(uint32_t d) {
    uint32_t r = (uint32_t)cfi_rt[(d >> 26) & 31u] << 24;
    r = cfi_mulh(r, ~cfi_mulh(d, r)) << 1;
    r = cfi_mulh(r, ~cfi_mulh(d, r)) << 1;
    return (uint32_t)(cfi_mul(r, ~cfi_mulh(d, r)) >> 31) - 3u;
}

#endif
