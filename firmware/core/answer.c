#include "answer.h"

#include "codes_gen.h"

/* The status of an answer is written last, in the one byte that was left for it. */
_Static_assert(CF_ERR_SILENCE >= -24, "a status takes one byte");
#define STATUS_BYTE(status) ((uint8_t)((status) >= 0 ? (status) : 0x20 - 1 - (status)))

void cf_key(struct cf_answer *a) {
    cf_put_uint(&a->w, a->key);
    a->key++;
    a->pairs++;
}

void cf_key_wide(struct cf_answer *a, uint64_t value) {
    cf_key(a);
    cf_put_head(&a->w, CF_CBOR_UINT, value);
}

void cf_key_uint(struct cf_answer *a, uint32_t value) {
    cf_key(a);
    cf_put_uint(&a->w, value);
}

void cf_key_array(struct cf_answer *a, const uint32_t *items, uint32_t count) {
    cf_key(a);
    cf_put_head(&a->w, CF_CBOR_ARRAY, count);
    for (uint32_t i = 0; i < count; i++) {
        cf_put_uint(&a->w, items[i]);
    }
}

void cf_key_bytes(struct cf_answer *a, const void *bytes, uint32_t length) {
    cf_key(a);
    cf_put_string(&a->w, CF_CBOR_BYTES, bytes, length);
}

void cf_key_text(struct cf_answer *a, const char *text) {
    uint32_t n = 0;

    while (n < CF_MAX_TEXT && text[n] != 0) {
        n++;
    }
    cf_key(a);
    cf_put_string(&a->w, CF_CBOR_TEXT, text, n);
}

void cf_answer_start(struct cf_answer *a, uint8_t *packet, uint32_t capacity, uint32_t code) {
    a->w.buffer = packet;
    a->w.capacity = capacity - CF_TRAILER_LENGTH;
    a->w.length = CF_HEADER_LENGTH;
    a->w.full = 0;
    a->detail = 0;
    a->key = 0;
    a->pairs = 0;
    cf_put_head(&a->w, CF_CBOR_MAP, 0); /* the number of pairs is set at the end */
    cf_key_uint(a, code);
    cf_key_uint(a, 0); /* so is the status */
    a->fixed = a->w.length;
}

void cf_answer_again(struct cf_answer *a) {
    a->w.length = a->fixed;
    a->w.full = 0;
    a->key = 2;
    a->pairs = 2;
}

void cf_answer_end(struct cf_answer *a, int32_t status) {
    if (a->w.full) {
        status = CF_ERR_BAD_LENGTH;
        cf_answer_again(a);
    }
    if (status != CF_OK && a->detail != 0) {
        cf_key_uint(a, a->detail);
    }
    a->w.buffer[CF_HEADER_LENGTH] = (uint8_t)(CF_CBOR_MAP << 5 | a->pairs);
    a->w.buffer[a->fixed - 1] = STATUS_BYTE(status);
}
