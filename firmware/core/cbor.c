#include "cbor.h"

#include "codes_gen.h"
#include "mem.h"

static uint64_t left(const struct cf_reader *r) {
    return (uint64_t)(r->end - r->at);
}

int cf_cbor_head(struct cf_reader *r, struct cf_field *f) {
    if (r->at == r->end) {
        return -1;
    }
    uint8_t first = *r->at++;
    uint8_t info = first & 31u;

    f->type = first >> 5;
    f->value = info;
    f->at = r->at;
    if (f->type > CF_CBOR_MAP) {
        return f->type == CF_CBOR_SIMPLE && (info == CF_CBOR_FALSE || info == CF_CBOR_TRUE) ? 0 : -1;
    }
    if (info < 24) {
        return 0;
    }
    if (info > 27) {
        return -1; /* reserved, or an indefinite length */
    }
    uint32_t width = 1u << (info - 24u);
    if (left(r) < width) {
        return -1;
    }
    uint64_t v = 0;
    uint32_t high = 0; /* bits of the upper half, without which it would have been shorter */
    for (uint32_t i = 0; i < width; i++) {
        if (i < width / 2) {
            high |= *r->at;
        }
        v = v << 8 | *r->at++;
    }
    f->value = v;
    f->at = r->at;
    return high != 0 || (width == 1 && v >= 24) ? 0 : -1;
}

/* Reads a key that is at least *least, and sets *least to the next one that may follow. */
static int take_key(struct cf_reader *r, uint64_t *least, struct cf_field *key) {
    if (cf_cbor_head(r, key) != 0 || key->type != CF_CBOR_UINT || key->value < *least || key->value == UINT64_MAX) {
        return -1;
    }
    *least = key->value + 1;
    return 0;
}

/* Checks and takes one item, which is at this depth if it is a container. */
static int take_item(struct cf_reader *r, uint32_t depth, struct cf_field *f) {
    struct cf_field inner;
    uint64_t least = 0;

    if (cf_cbor_head(r, f) != 0) {
        return -1;
    }
    if (f->type == CF_CBOR_BYTES || f->type == CF_CBOR_TEXT) {
        if (f->value > left(r)) {
            return -1;
        }
        r->at += f->value;
    } else if (f->type == CF_CBOR_ARRAY || f->type == CF_CBOR_MAP) {
        if (depth > CF_MAX_DEPTH) {
            return -1;
        }
        for (uint64_t n = f->value; n > 0; n--) { /* ends early if n is a lie: every turn takes a byte */
            if ((f->type == CF_CBOR_MAP && take_key(r, &least, &inner) != 0) || take_item(r, depth + 1, &inner) != 0) {
                return -1;
            }
        }
    }
    f->end = r->at;
    return 0;
}

int cf_cbor_map(struct cf_reader *r, struct cf_field *field, uint32_t count) {
    struct cf_field map;
    struct cf_field key;
    uint64_t least = 0;

    for (uint32_t i = 0; i < count; i++) {
        field[i].type = CF_CBOR_ABSENT;
    }
    if (cf_cbor_head(r, &map) != 0 || map.type != CF_CBOR_MAP) {
        return -1;
    }
    for (; map.value > 0; map.value--) {
        if (take_key(r, &least, &key) != 0) {
            return -1;
        }
        struct cf_field *f = key.value < count ? &field[key.value] : &key; /* whose number is needed no more */
        if (take_item(r, 2, f) != 0) {
            return -1;
        }
    }
    return left(r) == 0 ? 0 : -1;
}

static void put(struct cf_writer *w, const void *bytes, uint32_t length) {
    if (w->full || length > w->capacity - w->length) {
        w->full = 1;
        return;
    }
    if (length > 0) { /* bytes may be NULL otherwise */
        memcpy(w->buffer + w->length, bytes, length);
        w->length += length;
    }
}

void cf_put_head(struct cf_writer *w, enum cf_cbor type, uint64_t value) {
    const uint32_t low = (uint32_t)value;
    uint8_t head[9];
    uint32_t info = 27;

    if (value <= UINT32_MAX) {
        info = low < 24 ? low : low <= UINT8_MAX ? 24 : low <= UINT16_MAX ? 25 : 26;
    }
    const uint32_t width = info < 24 ? 0 : 1u << (info - 24u);
    head[0] = (uint8_t)((unsigned)type << 5 | info);
    for (uint32_t i = width; i > 0; i--, value >>= 8) {
        head[i] = (uint8_t)value;
    }
    put(w, head, 1 + width);
}

void cf_put_bool(struct cf_writer *w, int value) {
    cf_put_head(w, CF_CBOR_SIMPLE, value ? CF_CBOR_TRUE : CF_CBOR_FALSE);
}

void cf_put_string(struct cf_writer *w, enum cf_cbor type, const void *bytes, uint32_t length) {
    cf_put_head(w, type, length);
    put(w, bytes, length);
}
