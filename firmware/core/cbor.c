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
    if (*type == CF_CBOR_SIMPLE) {
        return info > 24 || v >= 32 ? 0 : -1; /* a float has no shorter form to ask for */
    }
    uint64_t least = info == 24 ? 24 : (uint64_t)1 << (4 * width);
    return v >= least ? 0 : -1;
}

/* Checks and skips one item. depth is that of the item if it is a container. */
static int skip(struct cf_reader *r, uint32_t depth) {
    uint8_t type;
    uint64_t n;

    if (cf_cbor_head(r, &type, &n) != 0 || type == CF_CBOR_TAG) {
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
    if (depth > CF_MAX_DEPTH || n > left(r)) { /* an item has at least one byte */
        return -1;
    }
    for (uint64_t items = type == CF_CBOR_MAP ? 2 * n : n; items > 0; items--) {
        if (skip(r, depth + 1) != 0) {
            return -1;
        }
    }
    return 0;
}

int cf_cbor_map(struct cf_reader *r, struct cf_field *field, uint32_t count) {
    uint8_t type;
    uint64_t pairs;
    uint64_t least = 0; /* the smallest key that may follow */

    for (uint32_t i = 0; i < count; i++) {
        field[i].type = CF_CBOR_ABSENT;
    }
    if (cf_cbor_head(r, &type, &pairs) != 0 || type != CF_CBOR_MAP || pairs > left(r)) {
        return -1;
    }
    for (; pairs > 0; pairs--) {
        uint64_t key;
        if (cf_cbor_head(r, &type, &key) != 0 || type != CF_CBOR_UINT || key < least || key == UINT64_MAX) {
            return -1;
        }
        least = key + 1;

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
    cf_put_head(w, CF_CBOR_SIMPLE, value ? 21 : 20);
}

void cf_put_string(struct cf_writer *w, enum cf_cbor type, const void *bytes, uint32_t length) {
    cf_put_head(w, type, length);
    put(w, bytes, length);
}
