/* Fixed-point arithmetic of the integer-only kernels: 32x32->64 multiplies, shifts,
 * adds and count-leading-zeros; no floating point, no 128-bit type, no loop. A float
 * enters and leaves as its bits.
 *
 * Qn is a number in units of 2^-n. The kernels belong to one exact order of
 * operations, which proof/integer.log has compared with the double form for all
 * 2^32 inputs: after any edit, run that comparison again. */
#ifndef CF_INTEGER_FIXED_H
#define CF_INTEGER_FIXED_H

#include "../f32/bits.h"

/* A function of its own, called from several places of a kernel. */
#define CFI_SHARED static __attribute__((noinline, unused))

#if defined(__GNUC__) && defined(__arm__)
#define CFI_OPAQUE(x) __asm__("" : "+r"(x))   /* no code: keeps GCC from widening or hoisting x */
#define CFI_TIE(p, x) __asm__("" : "+r"(p) : "r"(x)) /* no code: loads through p wait for x (no spills) */
#else
#define CFI_OPAQUE(x) (void)0
#define CFI_TIE(p, x) (void)0
#endif
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__) && !defined(__ARM_FEATURE_DSP)
/* ARMv6-M has no UMULL: four 16x16 products, shared as one function */
#if defined(__GNUC__) && defined(__thumb__)
__attribute__((naked)) CFI_SHARED uint64_t cfi_mul(uint32_t a __attribute__((unused)), uint32_t b __attribute__((unused))) {
    __asm__(".syntax unified\n push {r4, lr}\n uxth r2, r0\n lsrs r0, r0, #16\n lsrs r3, r1, #16\n uxth r1, r1\n"
        " movs r4, r2\n muls r4, r1, r4\n muls r2, r3, r2\n muls r3, r0, r3\n muls r1, r0, r1\n"
        " movs r0, #0\n adds r2, r2, r1\n adcs r0, r0, r0\n lsls r0, r0, #16\n adds r3, r3, r0\n"
        " lsls r0, r2, #16\n lsrs r2, r2, #16\n adds r0, r0, r4\n adcs r3, r3, r2\n movs r1, r3\n pop {r4, pc}\n");
}
#else
CFI_SHARED uint64_t cfi_mul(uint32_t a, uint32_t b) {
    uint32_t al = a & 0xffffu, ah = a >> 16, bl = b & 0xffffu, bh = b >> 16;
    uint32_t l = al * bl, m1 = ah * bl, m2 = al * bh, h = ah * bh;
    uint32_t t = m1 + (l >> 16);            /* cannot overflow */
    uint32_t s = t + m2;
    h += (uint32_t)(s < t) << 16;
    return ((uint64_t)(h + (s >> 16)) << 32) | (s << 16) | (l & 0xffffu);
}
#endif
CF_INLINE int64_t cfi_smul(int32_t a, int32_t b) {
    uint64_t p = cfi_mul((uint32_t)a, (uint32_t)b);
    uint32_t h = (uint32_t)(p >> 32) - ((uint32_t)(a >> 31) & (uint32_t)b) - ((uint32_t)(b >> 31) & (uint32_t)a);
    return (int64_t)(((uint64_t)h << 32) | (uint32_t)p);
}
#else
CF_INLINE uint64_t cfi_mul(uint32_t a, uint32_t b) { return (uint64_t)a * b; }
CF_INLINE int64_t cfi_smul(int32_t a, int32_t b) { return (int64_t)a * b; }
#endif
CF_INLINE uint32_t cfi_mulh(uint32_t a, uint32_t b) { return (uint32_t)(cfi_mul(a, b) >> 32); }
/* c + floor-ish(a*b / 2^64), low by less than 3 units */
CF_INLINE uint64_t cfi_mad(uint64_t c, uint64_t a, uint64_t b) {
    uint32_t ah = (uint32_t)(a >> 32), al = (uint32_t)a, bh = (uint32_t)(b >> 32), bl = (uint32_t)b;
    c += cfi_mul(ah, bh);
    c += cfi_mulh(ah, bl);
    c += cfi_mulh(al, bh);
    return c;
}

/* c + floor(a*b / 2^32), b 32 bits */
CF_INLINE uint64_t cfi_mad32(uint64_t c, uint64_t a, uint32_t b) {
    return c + cfi_mul((uint32_t)(a >> 32), b) + cfi_mulh((uint32_t)a, b);
}

/* signed: c + a*b / 2^32, low by less than 1 unit */
CF_INLINE int64_t cfi_smad32(int64_t c, int64_t a, int32_t b) {
    uint32_t al = (uint32_t)a;
    c += cfi_smul((int32_t)((uint32_t)((uint64_t)a >> 32) + (al >> 31)), b);
    return c + (int32_t)(cfi_smul((int32_t)al, b) >> 32);
}

/* P in [2^63,2^64) -> float bits of P*2^-63*2^e, e in normal range; ties do not occur */
CF_INLINE uint32_t cfi_pack(uint64_t P, int32_t e) {
    uint32_t h = (uint32_t)(P >> 32);
    return ((h >> 8) + ((h >> 7) & 1u)) + ((uint32_t)(e + 126) << 23);
}
#if defined(__ARM_ARCH_6M__) || (defined(__riscv) && !defined(__riscv_zbb))
/* no CLZ instruction: fixed binary search */
CF_INLINE uint32_t cfi_clz(uint32_t x) {
    uint32_t n = 0;
    if (!(x >> 16)) { n += 16; x <<= 16; }
    if (!(x >> 24)) { n += 8; x <<= 8; }
    if (!(x >> 28)) { n += 4; x <<= 4; }
    if (!(x >> 30)) { n += 2; x <<= 2; }
    return n + (x >> 31 ? 0u : 1u);
}
#else
CF_INLINE uint32_t cfi_clz(uint32_t x) { return (uint32_t)__builtin_clz(x); }
#endif
CF_INLINE uint32_t cfi_fpack(uint64_t P, int32_t e) { /* P >= 2^32, any alignment */
    uint32_t h = (uint32_t)(P >> 32), n = cfi_clz(h);
    h = (h << n) | (((uint32_t)P >> 1) >> (31u - n));
    return ((h >> 8) + ((h >> 7) & 1u)) + ((uint32_t)(e - (int32_t)n + 126) << 23);
}

#endif
