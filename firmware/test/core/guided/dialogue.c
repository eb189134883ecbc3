#include "dialogue.h"

#include <string.h>

#include "wire.h"

static uint32_t least(size_t a, size_t b) {
    return (uint32_t)(a < b ? a : b);
}

void dialogue_read(struct dialogue *d, const uint8_t *bytes, size_t length) {
    d->count = 0;
    while (length >= RECORD_HEADER && d->count < MAX_RECORDS) {
        struct record *r = &d->record[d->count++];
        r->flags = bytes[0];
        r->kind = bytes[1];
        r->version = bytes[2];
        r->seq = (int8_t)bytes[3];
        r->session = load16(bytes + 4);
        const uint32_t claimed = load16(bytes + 6);
        bytes += RECORD_HEADER;
        length -= RECORD_HEADER;
        const uint32_t there = least(claimed, length);
        r->length = (uint16_t)least(there, MAX_BODY);
        memcpy(r->body, bytes, r->length);
        bytes += there;
        length -= there;
    }
}

size_t dialogue_write(const struct dialogue *d, uint8_t *bytes, size_t capacity) {
    size_t at = 0;

    for (uint32_t i = 0; i < d->count; i++) {
        const struct record *r = &d->record[i];
        if (capacity - at < RECORD_HEADER + (size_t)r->length) {
            break;
        }
        bytes[at] = r->flags;
        bytes[at + 1] = r->kind;
        bytes[at + 2] = r->version;
        bytes[at + 3] = (uint8_t)r->seq;
        store16(bytes + at + 4, r->session);
        store16(bytes + at + 6, r->length);
        memcpy(bytes + at + RECORD_HEADER, r->body, r->length);
        at += RECORD_HEADER + r->length;
    }
    return at;
}

/* The fields of a body, whose code is returned; 0 if it is malformed. */
static uint32_t fields_of(const struct record *r, struct cf_field f[9]) {
    struct cf_reader reader = {r->body, r->body + r->length};

    if ((r->flags & RAW) != 0 || cf_cbor_map(&reader, f, 9) != 0 || f[0].type != CF_CBOR_UINT) {
        return 0;
    }
    return f[0].value;
}

/* Puts a CHUNK into the image, as far as one can hold it. */
static void add_chunk(struct image *m, const struct cf_field f[9]) {
    const struct {
        uint8_t *bytes;
        uint32_t capacity;
        uint32_t *length;
    } region[] = {
        {m->code, CODE_SIZE, &m->code_length}, {m->data, DATA_SIZE, &m->data_length}, {m->patches, DATA_SIZE, &m->patch_length},
    };

    if (f[1].type != CF_CBOR_UINT || f[2].type != CF_CBOR_UINT || f[3].type != CF_CBOR_BYTES || f[1].value > CF_REGION_PATCHES) {
        return;
    }
    const uint32_t capacity = region[f[1].value].capacity;
    const uint32_t offset = f[2].value;
    if (offset > capacity || f[3].value > capacity - offset) {
        return;
    }
    memcpy(region[f[1].value].bytes + offset, f[3].at, f[3].value);
    if (offset + f[3].value > *region[f[1].value].length) {
        *region[f[1].value].length = offset + f[3].value;
    }
}

uint8_t *dialogue_image(struct dialogue *d, uint32_t at, struct image *m) {
    struct record *begin = &d->record[at];
    struct cf_field f[9], chunk[9];

    if (fields_of(begin, f) != CF_MSG_BEGIN || f[7].type != CF_CBOR_ARRAY || f[8].type != CF_CBOR_BYTES || f[8].value != CF_DIGEST_LENGTH) {
        return NULL;
    }
    memset(m, 0, sizeof *m);
    m->arch = f[1].value;
    m->features = (uint64_t)f[2].high << 32 | f[2].value;
    m->bss_length = f[5].value;
    struct cf_reader entries = {f[7].at, f[8].at};
    for (m->entry_count = 0; m->entry_count < f[7].value && m->entry_count < CF_MAX_ENTRIES; m->entry_count++) {
        struct cf_field entry;
        if (cf_cbor_head(&entries, &entry) != 0) {
            break;
        }
        m->entry[m->entry_count] = entry.value;
    }
    for (uint32_t i = at + 1; i < d->count; i++) {
        const uint32_t code = fields_of(&d->record[i], chunk);
        if (code == CF_MSG_CHUNK) {
            add_chunk(m, chunk);
        } else if (code == CF_MSG_SEAL || code == CF_MSG_BEGIN) {
            break;
        }
    }
    return begin->body + (f[8].at - begin->body);
}
