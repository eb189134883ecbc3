/* Division of 64-bit integers, which GCC calls by these names; its own library for 32 bits is not installed beside the one for 64. */
#include <stdint.h>

uint64_t __udivmoddi4(uint64_t a, uint64_t b, uint64_t *rest);
uint64_t __udivdi3(uint64_t a, uint64_t b);

/* a / b, where the quotient fits 32 bits: a >> 32 < b. */
static uint32_t quotient(uint64_t a, uint32_t b) {
    uint32_t q, rest;

    __asm__("divl %4" : "=a"(q), "=d"(rest) : "a"((uint32_t)a), "d"((uint32_t)(a >> 32)), "r"(b) : "cc");
    return q;
}

/* The quotient, and the rest to *rest. A divisor of more than 32 bits is divided by with its upper 32: the quotient is right or one
 * too large, and made one smaller it is right or one too small (Hacker's Delight, 9-5). */
uint64_t __udivmoddi4(uint64_t a, uint64_t b, uint64_t *rest) {
    uint32_t high = (uint32_t)(b >> 32);
    uint64_t q;

    if (high == 0) {
        uint32_t d = (uint32_t)b, above = (uint32_t)(a >> 32);
        q = (uint64_t)(above / d) << 32 | quotient((uint64_t)(above % d) << 32 | (uint32_t)a, d);
    } else {
        uint32_t n = (uint32_t)__builtin_clz(high);
        q = (uint64_t)quotient(a >> 1, (uint32_t)(b << n >> 32)) << n >> 31;
        q -= q != 0;
        q += a - q * b >= b;
    }
    *rest = a - q * b;
    return q;
}

uint64_t __udivdi3(uint64_t a, uint64_t b) {
    uint64_t rest;

    return __udivmoddi4(a, b, &rest);
}
