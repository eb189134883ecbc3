/* SHA-256 (FIPS 180-4), written for size. */
#ifndef CF_SHA256_H
#define CF_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define CF_SHA256_BLOCK 64u  /* bytes */
#define CF_SHA256_DIGEST 32u

struct cf_sha256 {
    uint32_t state[8];
    uint32_t block[CF_SHA256_BLOCK / 4]; /* bytes go into the words from the right */
    size_t length;                       /* bytes taken so far */
};

void cf_sha256_init(struct cf_sha256 *s);
void cf_sha256_update(struct cf_sha256 *s, const uint8_t *p, uint32_t n);

/* Returns the digest, CF_SHA256_DIGEST bytes in s. */
const uint8_t *cf_sha256_final(struct cf_sha256 *s);

#endif
