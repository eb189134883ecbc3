/*
 * What carries out the requests. Each function gets the fields of the body by key, checked for presence and type,
 * and returns the status. It may write answer fields with cf_key_*, in the order of their keys from 2 upwards.
 */
#ifndef CF_REQUEST_H
#define CF_REQUEST_H

#include "cbor.h"
#include "core.h"

struct cf_answer {
    struct cf_writer w;
    uint32_t fixed;  /* bytes up to and with the status */
    uint32_t detail; /* of a status that is not CF_OK; not written if 0 */
    uint8_t key;     /* of the next pair */
    uint8_t pairs;
};

/* Returned by a request that is answered later. */
#define CF_LATER 1

typedef int32_t cf_request(struct cf_core *c, const struct cf_field *f, struct cf_answer *a);

cf_request cf_hello, cf_status, cf_baud;              /* about.c */
cf_request cf_begin, cf_chunk, cf_seal, cf_drop;      /* load.c */
cf_request cf_run, cf_samples, cf_read, cf_write;     /* run.c */

/* A number of 32 bits, or the length of a string or an array, which its packet limits to less. */
static inline uint32_t cf_u32(const struct cf_field *f, uint32_t key) {
    return (uint32_t)f[key].value;
}

/* Whether n bytes or items from offset on lie within length. */
static inline int cf_within(uint32_t offset, uint32_t n, uint32_t length) {
    return offset <= length && n <= length - offset;
}

/* Starts the next pair; its value follows. */
void cf_key(struct cf_answer *a);

/* Leaves out the next pair. */
static inline void cf_key_skip(struct cf_answer *a) {
    a->key++;
}

/* Write the next pair: a number, an array, a byte string, a text of at most CF_MAX_TEXT bytes. */
void cf_key_uint(struct cf_answer *a, uint32_t value);
void cf_key_wide(struct cf_answer *a, uint64_t value);
void cf_key_array(struct cf_answer *a, const uint32_t *items, uint32_t count);
void cf_key_bytes(struct cf_answer *a, const void *bytes, uint32_t length);
void cf_key_text(struct cf_answer *a, const char *text);

/* The same with the digest of what is loaded, empty if nothing is, and with the fault record. */
void cf_key_digest(struct cf_answer *a, const struct cf_core *c);
void cf_key_fault(struct cf_answer *a, const struct cf_core *c);

/* Goes on with the RUN under way for a while. Returns the tick before which there is nothing more to do for it; the state tells
 * whether it has ended. */
uint64_t cf_run_continue(struct cf_core *c);

/* Writes the answer to a RUN that has ended and returns its status. */
int32_t cf_run_answer(struct cf_core *c, struct cf_answer *a);

/* Switches to baud_next, after its answer is out. */
void cf_switch_baud(struct cf_core *c);

/* Returns to the first rate if nothing valid has arrived at a new one in time. */
void cf_check_baud(struct cf_core *c);

/* Bytes of data memory that belong to the program. */
uint32_t cf_data_length(const struct cf_core *c);

#endif
