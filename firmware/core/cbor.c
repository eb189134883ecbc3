#include "cbor.h"

#include "codes_gen.h"
#include "mem.h"

static uint64_t left(const struct cf_reader *r) {
    return (uint64_t)(r->end - r->at);
}

int cf_cbor_head(struct cf_reader *r, uint8_t *type, uint64_t *value) {
    if (r->at == r->end) {
        return -1;
    }
    uint8_t first = *r->at++;
    uint8_t info = first & 31u;

    *type = first >> 5;
    *value = info;
    if (*type > CF_CBOR_MAP) {
        return *type == CF_CBOR_SIMPLE && (info == CF_CBOR_FALSE || info == CF_CBOR_TRUE) ? 0 : -1;
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
    for (uint32_t i = 0; i < width; i++) {
        v = v << 8 | *r->at++;
    }
    *value = v;
    uint64_t least = info == 24 ? 24 : (uint64_t)1 << (4 * width);
    return v >= least ? 0 : -1;
}

/* Reads a key that is at least *least, and sets *least to the next one that may follow. */
static int take_key(struct cf_reader *r, uint64_t *least, uint64_t *key) {
    uint8_t type;

    if (cf_cbor_head(r, &type, key) != 0 || type != CF_CBOR_UINT || *key < *least || *key == UINT64_MAX) {
        return -1;
    }
    *least = *key + 1;
    return 0;
}

/* Checks and skips one item, which is at this depth if it is a container. */
static int skip(struct cf_reader *r, uint32_t depth) {
    uint8_t type;
    uint64_t n;
    uint64_t key;
    uint64_t least = 0;

    if (cf_cbor_head(r, &type, &n) != 0) {
        return -1;
    }
    if (type == CF_CBOR_BYTES || type == CF_CBOR_TEXT) {
        if (n > left(r)) {
            return -1;
        }
        r->at += n;
        return 0;
    }
    if (type != CF_CBOR_ARRAY && type != CF_CBOR_MAP) {
        return 0;
    }
    if (depth > CF_MAX_DEPTH) {
        return -1;
    }
    for (; n > 0; n--) { /* ends early if n is a lie: every turn takes a byte */
        if ((type == CF_CBOR_MAP && take_key(r, &least, &key) != 0) || skip(r, depth + 1) != 0) {
            return -1;
        }
    }
    return 0;
}

int cf_cbor_map(struct cf_reader *r, struct cf_field *field, uint32_t count) {
    uint8_t type;
    uint64_t pairs;
    uint64_t key;
    uint64_t least = 0;

    for (uint32_t i = 0; i < count; i++) {
        field[i].type = CF_CBOR_ABSENT;
    }
    if (cf_cbor_head(r, &type, &pairs) != 0 || type != CF_CBOR_MAP) {
        return -1;
    }
    for (; pairs > 0; pairs--) {
        if (take_key(r, &least, &key) != 0) {
            return -1;
        }
        struct cf_reader value = *r;
        if (skip(r, 2) != 0) {
            return -1;
        }
        if (key < count) {
            struct cf_field *f = &field[key];
            (void)cf_cbor_head(&value, &f->type, &f->value); /* skip has read this head already */
            f->at = value.at;
            f->end = r->at;
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
    uint8_t head[9];
    uint32_t width = 0;

    if (value < 24) {
        head[0] = (uint8_t)((unsigned)type << 5 | (unsigned)value);
    } else {
        uint8_t info = 24;
        for (width = 1; width < 8 && value >> (8 * width) != 0; width *= 2) {
            info++;
        }
        head[0] = (uint8_t)((unsigned)type << 5 | info);
        for (uint32_t i = 0; i < width; i++) {
            head[1 + i] = (uint8_t)(value >> (8 * (width - 1 - i)));
        }
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
