/*
 * A dialogue as a fuzzer's input: records, each of a header and a body. What a packet needs to be looked at at all (COBS, checksum and,
 * where the record asks for it, session, sequence number and digest) is put right when it is played, so that a mutation of the
 * bytes meets the layer that it is meant for.
 */
#ifndef CF_TEST_DIALOGUE_H
#define CF_TEST_DIALOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "image.h"

#define MAX_RECORDS 64u
#define MAX_BODY 600u /* more than the packets of the bench hold */
#define RECORD_HEADER 8u

enum {
    OF_SESSION = 1, /* the session is the present one, not that of the record */
    IN_ORDER = 2,   /* seq counts from the next one */
    DIGESTED = 4,   /* a BEGIN has the digest of the CHUNKs up to the next SEAL */
    RAW = 8,        /* the body goes over the line as it is, without header and frame */
    DAMAGED = 16,   /* the frame has a wrong checksum */
    QUEUED = 32,    /* it waits in the receive queue, which is polled */
    LATE = 64,      /* three seconds pass behind it */
    IN_PIECES = 128,
};

struct record {
    uint8_t flags;
    uint8_t kind;
    uint8_t version;
    int8_t seq;
    uint16_t session;
    uint16_t length; /* of the body */
    uint8_t body[MAX_BODY];
};

struct dialogue {
    uint32_t count;
    struct record record[MAX_RECORDS];
};

/* Takes as much of the bytes as makes sense; every input is a dialogue. */
void dialogue_read(struct dialogue *d, const uint8_t *bytes, size_t length);

/* Returns the length; records for which there is no room are left out. */
size_t dialogue_write(const struct dialogue *d, uint8_t *bytes, size_t capacity);

/* The image that the BEGIN in record `at` and the CHUNKs behind it come to. Lengths are those that the CHUNKs reach, entries and bss those of BEGIN. Returns
 * where BEGIN's digest is in its body, NULL if the record is no such BEGIN. */
uint8_t *dialogue_image(struct dialogue *d, uint32_t at, struct image *m);

/* Changes one thing, or a few, as a function of the seed. */
void dialogue_mutate(struct dialogue *d, uint32_t seed);

/* Makes d the begin of a with the end of b behind it. */
void dialogue_cross(struct dialogue *d, const struct dialogue *a, const struct dialogue *b, uint32_t seed);

#endif
