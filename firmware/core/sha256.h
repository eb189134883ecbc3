/* SHA-256 (FIPS 180-4), written for size. */
#ifndef CF_SHA256_H
#define CF_SHA256_H

#include <stdint.h>

struct cf_sha256 {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t length; /* bytes taken so far */
};

void cf_sha256_init(struct cf_sha256 *s);
void cf_sha256_update(struct cf_sha256 *s, const uint8_t *p, uint32_t n);
void cf_sha256_final(struct cf_sha256 *s, uint8_t digest[32]);

#endif
