#include "sha256.h"

#include "mem.h"

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t ror(uint32_t x, unsigned n) {
    return x >> n | x << (32u - n);
}

/* Takes in the block, whose words become those of the message schedule, 16 at a time. */
static void compress(struct cf_sha256 *s) {
    uint32_t *w = s->block;
    uint32_t v[8];

    memcpy(v, s->state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t wi = w[i & 15u];
        if (i >= 16) {
            uint32_t w15 = w[(i - 15) & 15u];
            uint32_t w2 = w[(i - 2) & 15u];
            wi += w[(i - 7) & 15u] + (ror(w15, 7) ^ ror(w15, 18) ^ w15 >> 3) + (ror(w2, 17) ^ ror(w2, 19) ^ w2 >> 10);
            w[i & 15u] = wi;
        }

        uint32_t e = v[4];
        uint32_t a = v[0];
        uint32_t t1 = v[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + K[i] + wi;
        uint32_t t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        for (unsigned j = 7; j > 0; j--) {
            v[j] = v[j - 1];
        }
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (unsigned j = 0; j < 8; j++) {
        s->state[j] += v[j];
    }
}

void cf_sha256_init(struct cf_sha256 *s) {
    static const uint32_t initial[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };

    memcpy(s->state, initial, sizeof s->state);
    s->length = 0;
}

void cf_sha256_update(struct cf_sha256 *s, const uint8_t *p, uint32_t n) {
    for (; n > 0; n--) {
        uint32_t *word = &s->block[s->length / 4 % 16];
        *word = *word << 8 | *p++; /* what was in it is gone after four bytes */
        if (++s->length % CF_SHA256_BLOCK == 0) {
            compress(s);
        }
    }
}

/* Written out: not every compiler has an instruction for it. */
static uint32_t swap(uint32_t v) {
    return v >> 24 | (v >> 8 & 0xff00u) | (v << 8 & 0xff0000u) | v << 24;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a digest is big endian");

const uint8_t *cf_sha256_final(struct cf_sha256 *s) {
    const uint64_t bits = (uint64_t)s->length * 8;
    uint8_t pad = 0x80; /* a one, then zeros up to the length in the last 8 bytes of a block */

    do {
        cf_sha256_update(s, &pad, 1);
        pad = 0;
    } while (s->length % CF_SHA256_BLOCK != CF_SHA256_BLOCK - sizeof bits);
    s->block[14] = (uint32_t)(bits >> 32);
    s->block[15] = (uint32_t)bits;
    compress(s);
    for (unsigned i = 0; i < 8; i++) {
        s->state[i] = swap(s->state[i]);
    }
    return (const uint8_t *)s->state;
}
