#include "image.h"

#include <string.h>

#include "ask.h"
#include "core/bytes.h"
#include "core/digest.h"

void image_make(struct image *m, enum program program) {
    memset(m, 0, sizeof *m);
    m->arch = CF_ARCH_THUMBV6M;
    m->code_length = 32;
    m->code[0] = (uint8_t)program;
    m->code[1] = PROGRAM_STICKY;
    m->data_length = 24;
    m->data[20] = 0xda;
    m->bss_length = 40;
    m->entry_count = 2;
    m->entry[1] = 1;
}

void image_digest(const struct image *m, uint8_t digest[CF_DIGEST_LENGTH]) {
    uint8_t head[4 * (8 + CF_MAX_ENTRIES + 1)];
    const uint32_t word[] = {
        m->arch, (uint32_t)m->features, (uint32_t)(m->features >> 32), m->code_length,
        m->data_length, m->bss_length, m->patch_length, m->entry_count,
    };
    uint32_t at = 0;

    for (uint32_t i = 0; i < 8; i++, at += 4) {
        cf_store32(head + at, word[i]);
    }
    for (uint32_t i = 0; i < m->entry_count; i++, at += 4) {
        cf_store32(head + at, m->entry[i]);
    }
    uint64_t sum = cf_digest(CF_DIGEST_EMPTY, head, at);
    sum = cf_digest(sum, m->code, m->code_length);
    sum = cf_digest(sum, m->data, m->data_length);
    sum = cf_digest(sum, m->patches, m->patch_length);
    memcpy(digest, &sum, CF_DIGEST_LENGTH);
}

uint32_t image_begin(const struct image *m, uint8_t *out, uint32_t capacity) {
    uint8_t digest[CF_DIGEST_LENGTH];

    image_digest(m, digest);
    return body(out, capacity, "uuuuuuuab", (uint64_t)CF_MSG_BEGIN, (uint64_t)m->arch, m->features,
                (uint64_t)m->code_length, (uint64_t)m->data_length, (uint64_t)m->bss_length, (uint64_t)m->patch_length,
                m->entry, m->entry_count, digest, (uint32_t)sizeof digest);
}
