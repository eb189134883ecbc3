/* Order-independent digest of (input, output) pairs: sum of the mixes. */
#ifndef CF_PROOF_BITMIX_H
#define CF_PROOF_BITMIX_H

#include <stdint.h>

static inline uint64_t bitmix(uint64_t input, uint32_t output) {
    uint64_t h = (input << 32 | input >> 32) + output;
    h *= 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ (h >> 32);
}

#endif
