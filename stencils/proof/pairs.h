/* Structured pseudo-random argument pairs for atan2 (hypot takes the same) and pow: uniform over the
 * bits, near 1, near each other, tiny and huge ratios, near overflow and
 * underflow of the power, short fractions. */
#ifndef CF_PROOF_PAIRS_H
#define CF_PROOF_PAIRS_H

#include <stdint.h>

struct pair {
    uint32_t a, b;
};

static inline uint64_t next_random(uint64_t *state) { /* xorshift64* */
    uint64_t s = *state;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    *state = s;
    return s * 0x2545f4914f6cdd1du;
}

/* A float of random sign and fraction with exponent in [low, low+span). */
static inline uint32_t random_float(uint64_t *state, uint32_t low, uint32_t span) {
    uint32_t r = (uint32_t)(next_random(state) >> 32);
    uint32_t e = low + (uint32_t)(next_random(state) >> 40) % span;
    return (r & 0x807fffffu) | e << 23;
}

static inline struct pair atan2_pair(uint64_t *s, unsigned kind) {
    struct pair p = {(uint32_t)(next_random(s) >> 32), (uint32_t)(next_random(s) >> 32)};
    switch (kind % 6) {
    case 0: /* any bits */
        break;
    case 1: /* ordinary magnitudes */
        p.a = random_float(s, 120, 16);
        p.b = random_float(s, 120, 16);
        break;
    case 2: /* nearly equal magnitudes */
        p.b = (p.a ^ (p.b & 0x80000000u)) + (p.b >> 8) % 4096u;
        break;
    case 3: /* tiny results, subnormal ones among them */
        p.a = random_float(s, 0, 60);
        p.b = random_float(s, 100, 90);
        break;
    case 4: /* steep: near pi/2 */
        p.a = random_float(s, 128, 100);
        p.b = random_float(s, 60, 60);
        break;
    default: /* quotient near a multiple of 1/16, where the table index changes */
        p.a = random_float(s, 120, 10);
        p.b = (p.a & 0x7f800000u) | (p.b & 0x80780003u);
        break;
    }
    return p;
}

static inline struct pair pow_pair(uint64_t *s, unsigned kind) {
    struct pair p = {(uint32_t)(next_random(s) >> 33), (uint32_t)(next_random(s) >> 32)};
    switch (kind % 6) {
    case 0: /* ordinary magnitudes */
        p.a = random_float(s, 120, 16) & 0x7fffffffu;
        p.b = random_float(s, 120, 13);
        break;
    case 1: /* x near 1, large y */
        p.a = 0x3f800000u + (p.a >> 9) - 0x200000u;
        p.b = random_float(s, 127, 24);
        break;
    case 2: /* x very near 1 */
        p.a = 0x3f800000u + (p.a & 255u) - 128u;
        p.b = random_float(s, 140, 16);
        break;
    case 3: /* any x, small y */
        p.a %= 0x7f800000u;
        p.b = random_float(s, 100, 29);
        break;
    case 4: /* short fractions: exact and nearly exact results */
        p.a = (p.a & 0x7ff80000u) % 0x7f800000u;
        p.b = random_float(s, 124, 7) & 0xfff00000u;
        break;
    default: /* any bits */
        break;
    }
    return p;
}

#endif
