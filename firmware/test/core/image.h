/* Images for the runner on the bench. */
#ifndef CF_TEST_IMAGE_H
#define CF_TEST_IMAGE_H

#include "bench.h"

struct image {
    uint32_t arch;
    uint64_t features;
    uint8_t code[CODE_SIZE + 1]; /* one more than the runner has */
    uint32_t code_length;
    uint8_t data[DATA_SIZE];
    uint32_t data_length;
    uint32_t bss_length;
    uint8_t patches[DATA_SIZE];
    uint32_t patch_length;
    uint32_t entry[CF_MAX_ENTRIES + 1];
    uint32_t entry_count;
};

/* An image that the bench's runner takes: this program at offset 0 and PROGRAM_STICKY at 1, 24 bytes of data, 40 of bss. */
void image_make(struct image *m, enum program program);

/* The digest as the host computes it (SPEC.md). */
void image_digest(const struct image *m, uint8_t digest[CF_DIGEST_LENGTH]);

/* Writes the body of BEGIN; returns its length. */
uint32_t image_begin(const struct image *m, uint8_t *out, uint32_t capacity);

#endif
