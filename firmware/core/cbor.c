#include "cbor.h"

#include "codes_gen.h"
#include "mem.h"

/* The low five bits of the shortest head for a value: the value itself, or 24 to 27, which say how many bytes follow. */
static uint32_t info_of(uint64_t value) {
    const uint32_t low = (uint32_t)value;

    if (value > UINT32_MAX) {
        return 27;
    }
    return low < 24 ? low : low <= UINT8_MAX ? 24 : low <= UINT16_MAX ? 25 : 26;
}

/* How many bytes follow. */
static uint32_t width_of(uint32_t info) {
    return info < 24 ? 0 : 1u << (info - 24u);
}

static uint32_t left(const struct cf_reader *r) {
    return (uint32_t)(r->end - r->at);
}

int cf_cbor_head(struct cf_reader *r, struct cf_field *f) {
    if (left(r) == 0) {
        return 1;
    }
    const uint32_t first = *r->at++;
    const uint32_t info = first & 31u;
    uint64_t value = info;

    f->at = r->at;
    f->type = (uint8_t)(first >> 5);
    uint32_t width = width_of(info);
    if (f->type > CF_CBOR_MAP || info > 27 || left(r) < width) { /* beyond 27: reserved, or an indefinite length */
        return 1;
    }
    if (width > 0) {
        value = 0;
        for (; width > 0; width--) {
            value = value << 8 | *r->at++;
        }
    }
    if (info_of(value) != info) {
        return 1;
    }
    f->value = (uint32_t)value;
    f->high = (uint32_t)(value >> 32);
    f->at = r->at;
    if (f->type >= CF_CBOR_BYTES) { /* each byte of a string, item of an array or pair of a map takes a byte at least */
        return value > left(r) ? 1 : 0;
    }
    if (f->type == CF_CBOR_UINT && f->high != 0) {
        f->type = CF_CBOR_WIDE;
    }
    return 0;
}

/* Checks and takes the value of a pair. Arrays are of numbers. */
static int take_item(struct cf_reader *r, struct cf_field *f) {
    struct cf_field number;

    if (cf_cbor_head(r, f) != 0 || f->type == CF_CBOR_MAP) {
        return 1;
    }
    if (f->type == CF_CBOR_ARRAY) {
        for (uint32_t n = f->value; n > 0; n--) {
            if (cf_cbor_head(r, &number) != 0 || number.type != CF_CBOR_UINT) {
                return 1;
            }
        }
    } else if (f->type >= CF_CBOR_BYTES && f->type != CF_CBOR_WIDE) {
        r->at += f->value;
    }
    return 0;
}

int cf_cbor_map(struct cf_reader *r, struct cf_field *field, uint32_t count) {
    struct cf_field map;
    struct cf_field other;
    uint32_t last = 0; /* key, plus one */

    memset(field, 0, count * sizeof *field);
    if (cf_cbor_head(r, &map) != 0 || map.type != CF_CBOR_MAP) {
        return 1;
    }
    for (uint32_t n = map.value; n > 0; n--) {
        struct cf_field *f = &other;
        if (cf_cbor_head(r, f) != 0 || f->type != CF_CBOR_UINT || f->value + 1u <= last) {
            return 1;
        }
        last = f->value + 1u;
        if (f->value < count) {
            f = &field[f->value];
        }
        if (take_item(r, f) != 0) {
            return 1;
        }
    }
    return left(r) == 0 ? 0 : 1;
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

void cf_put_head(struct cf_writer *w, enum cf_cbor type, uintptr_t value) {
    const uint32_t info = info_of(value);
    const uint32_t width = width_of(info);
    uint8_t head[9];

    head[0] = (uint8_t)((unsigned)type << 5 | info);
    for (uint32_t i = width; i > 0; i--, value >>= 8) {
        head[i] = (uint8_t)value;
    }
    put(w, head, 1 + width);
}

void cf_put_string(struct cf_writer *w, enum cf_cbor type, const void *bytes, uint32_t length) {
    cf_put_head(w, type, length);
    put(w, bytes, length);
}
