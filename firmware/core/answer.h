/* The body of an answer: a map of the message code, the status, and what belongs to it, in the order of the keys. */
#ifndef CF_ANSWER_H
#define CF_ANSWER_H

#include "cbor.h"

struct cf_answer {
    struct cf_writer w;
    uint32_t detail; /* of a status that is not CF_OK; not written if 0 */
    uint8_t key;     /* of the next pair, and the number of those before it */
};

/* Starts an answer behind the header of packet, which holds capacity bytes with header and CRC. */
void cf_answer_start(struct cf_answer *a, uint8_t *packet, uint32_t capacity, uint32_t code);

/* Back to what there is with the status alone. */
void cf_answer_again(struct cf_answer *a);

/* Write the next pair: a number, a byte string. */
void cf_key_uint(struct cf_answer *a, uint32_t value);
void cf_key_bytes(struct cf_answer *a, const void *bytes, uint32_t length);

/* Completes it: one that did not fit is CF_ERR_BAD_LENGTH instead. */
void cf_answer_end(struct cf_answer *a, int32_t status);

#endif
