/* Requests to the runner on the bench and its answers, without the bytes between. */
#ifndef CF_TEST_ASK_H
#define CF_TEST_ASK_H

#include "bench.h"

#define ANSWER_FIELDS 9

struct answer {
    int present;     /* 0: the core sent nothing */
    uint8_t kind;    /* CF_KIND_* */
    uint16_t session, seq, ack;
    int32_t status;
    struct cf_field field[ANSWER_FIELDS]; /* by key; an ACK has none */
    uint32_t received, window;            /* of an ACK */
    uint32_t length;
    uint8_t packet[CF_MAX_PACKET_LENGTH]; /* so many bytes of it count */
};

/*
 * Writes a body to out. keys has a letter for each key from 0 on: u (uint64_t), b (const void *, uint32_t),
 * a (const uint32_t *, uint32_t count). Returns the length.
 */
uint32_t body(uint8_t *out, uint32_t capacity, const char *keys, ...);

/* Sends a request of this session with this sequence number, lets a RUN come to its end, and takes the first packet sent back. */
const struct answer *ask_as(uint16_t session, uint16_t seq, const uint8_t *body, uint32_t length);

/* The next packet that the core has sent; it stays valid until the next one. */
const struct answer *answered(void);

/* Opens a session; ask then uses it. */
const struct answer *hello(uint32_t nonce);

/* Numbers of the answer to HELLO, by place in its key `now`. */
enum { NOW_SESSION, NOW_NONCE, NOW_BOOT_NONCE, NOW_STATE, NOW_TIMER_HZ, NOW_GUARD, NOW_LOOP_FEATURES, NOWS };
uint32_t now_of(const struct answer *a, uint32_t place);

/* What an answer to RUN tells, until the next one. */
const struct cf_runs *runs_of(const struct answer *a);

/* A fault record, until the next one; all 0 if there is none at this key. */
struct fault {
    uintptr_t kind, cause, pc, address, entry, run, inside;
};
const struct fault *fault_of(const struct answer *a, uint32_t key);

/* Sends a request with the next sequence number. */
const struct answer *ask(const char *keys, ...);

extern uint16_t next_seq;

#endif
