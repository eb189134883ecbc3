#include "digest.h"

#define PRIME 0x100000001b3u

uint64_t cf_digest(uint64_t digest, const void *bytes, uint32_t n) {
    const uint8_t *p = bytes;

    for (; n > 0; n--) {
        digest = (digest ^ *p++) * PRIME;
    }
    return digest;
}
