/*
 * Deterministic CBOR (RFC 8949, 4.2), the part that the protocol uses: a map with unsigned keys of integers, strings
 * and arrays. Reader and writer never leave their bounds. The reader refuses indefinite
 * lengths, integers that are longer than needed, keys that are not unsigned and below 2^32 - 1 or out of order, maps within the
 * map, arrays of anything but integers of 32 bits, and all other items.
 */
#ifndef CF_CBOR_H
#define CF_CBOR_H

#include <stdint.h>

enum cf_cbor {
    CF_CBOR_UINT = 0,
    CF_CBOR_NINT = 1,
    CF_CBOR_BYTES = 2,
    CF_CBOR_TEXT = 3,
    CF_CBOR_ARRAY = 4,
    CF_CBOR_MAP = 5,
    CF_CBOR_WIDE = 8,     /* in cf_field: an unsigned integer of more than 32 bits */
};

struct cf_reader {
    const uint8_t *at;
    const uint8_t *end;
};

struct cf_field {
    uint32_t value;      /* lower half of an integer, or the number of bytes, items or pairs, for which there is room */
    uint32_t high;       /* upper half of an integer */
    const uint8_t *at;   /* behind the head: first byte of the string or of the first item. NULL: the map has no such key */
    uint8_t type;        /* enum cf_cbor; all is zero of a key that is not there */
};

/* Reads the head of one item. Returns 0, or 1 if it is malformed. */
int cf_cbor_head(struct cf_reader *r, struct cf_field *f);

/* Reads a map that fills [at, end) exactly. Key k < count goes to field[k], others are checked and skipped. Returns 0 or 1. */
int cf_cbor_map(struct cf_reader *r, struct cf_field *field, uint32_t count);

struct cf_writer {
    uint8_t *buffer;
    uint32_t capacity;
    uint32_t length;
    uint8_t full; /* something did not fit; what is in the buffer is of no use */
};

void cf_put_head(struct cf_writer *w, enum cf_cbor type, uintptr_t value);
void cf_put_string(struct cf_writer *w, enum cf_cbor type, const void *bytes, uint32_t length);

#endif
