#include "answer.h"

#include "codes_gen.h"

/* The status of an answer is written last, in the one byte that was left for it. */
_Static_assert(CF_ERR_NOT_STORED <= 24, "a status takes one byte");
#define STATUS_BYTE(status) ((uint8_t)((status) == CF_OK ? 0 : 0x20 - 1 + (status))) /* of the negative number */

/* Starts the next pair; its value follows. */
static void key(struct cf_answer *a) {
    cf_put_head(&a->w, CF_CBOR_UINT, a->key);
    a->key++;
}

void cf_key_uint(struct cf_answer *a, uint32_t value) {
    key(a);
    cf_put_head(&a->w, CF_CBOR_UINT, value);
}

void cf_key_bytes(struct cf_answer *a, const void *bytes, uint32_t length) {
    key(a);
    cf_put_string(&a->w, CF_CBOR_BYTES, bytes, length);
}

/* Every code and every status takes one byte, so that what comes first always has the same length. */
#define BODY CF_HEADER_LENGTH
#define FIXED (BODY + 5u)

void cf_answer_start(struct cf_answer *a, uint8_t *packet, uint32_t capacity, uint32_t code) {
    a->w.buffer = packet;
    a->w.capacity = capacity - CF_TRAILER_LENGTH;
    a->detail = 0;
    packet[BODY + 1u] = 0;
    packet[BODY + 2u] = (uint8_t)code;
    packet[BODY + 3u] = 1;
    cf_answer_again(a);
}

__attribute__((noinline)) void cf_answer_again(struct cf_answer *a) {
    a->w.length = FIXED;
    a->w.full = 0;
    a->key = 2;
}

void cf_answer_end(struct cf_answer *a, int32_t status) {
    if (a->w.full) {
        status = CF_ERR_BAD_LENGTH;
        cf_answer_again(a);
    }
    if (status != CF_OK && a->detail != 0) {
        cf_key_uint(a, a->detail);
    }
    a->w.buffer[BODY] = (uint8_t)(CF_CBOR_MAP << 5 | a->key);
    a->w.buffer[FIXED - 1u] = STATUS_BYTE(status);
}
