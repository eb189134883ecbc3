/*
 * The runner: takes frames, keeps the session, loads images and runs them. One struct holds all of its state; the
 * memory it works on belongs to the platform (hal/hal.h).
 */
#ifndef CF_CORE_H
#define CF_CORE_H

#include <stdint.h>

#include "codes_gen.h"
#include "frame.h"
#include "hal/hal.h"
#include "link.h"

/* Limit of one run for which RUN names none, in microseconds. */
#define CF_CORE_LIMIT_US 10000000u

/* Receive counters, in the order of the STATUS answer. */
enum cf_counter {
    CF_COUNT_FRAMES_OK,
    CF_COUNT_CRC_ERRORS,
    CF_COUNT_FRAMING_ERRORS,
    CF_COUNT_OVERRUNS,
    CF_COUNT_DUPLICATES,
    CF_COUNTERS,
};

/* What BEGIN announced and what has arrived of it. Valid in every state but idle. */
struct cf_image {
    uint32_t features[2];  /* low, high word */
    uint32_t length[3];    /* by CF_REGION_*, bytes; patches lie in data memory behind data and bss */
    uint32_t received[3];  /* bytes that arrived, by region; at most its length */
    uint32_t bss_length;
    uint32_t entry_count;
    uint32_t entry[CF_MAX_ENTRIES];
    uint8_t digest[CF_DIGEST_LENGTH];
    int32_t chunk_status;  /* first error of a CHUNK, reported again by SEAL */
    uint32_t chunk_detail;
};

struct cf_fault_record {
    struct cf_fault fault;
    uint32_t entry;
    uint32_t run;
    uint8_t present;
};

/* A RUN under way. It goes on in slices, so that the runner hears a HELLO during it. */
struct cf_job {
    uint32_t entry;
    uint32_t count;
    uint32_t limit_us;
    uint32_t runs;        /* that have ended normally */
    uint32_t late;
    uint64_t total;       /* ticks */
    uint64_t min;
    uint64_t max;
    uint64_t mark;        /* tick at which the next run is due */
    uint64_t step;        /* ticks between marks, 0: back to back */
    uint32_t step_rest;   /* and millionths of a tick */
    uint32_t carry;       /* millionths of a tick that mark lags behind */
};

struct cf_core {
    const struct cf_platform *platform;
    struct cf_decoder decoder;
    struct cf_link link;
    uint32_t counter[CF_COUNTERS];

    uint32_t boot_nonce;
    uint8_t open;          /* link holds a session */
    uint32_t reply_length; /* of the answer in tx_packet, without CRC; 0: none is stored */
    uint16_t reply_seq;    /* request that it answers */
    uint8_t ack_due;       /* a CHUNK has arrived since the last ACK */
    uint8_t chunks;        /* CHUNKs since the last ACK */

    uint8_t state;         /* CF_STATE_* */
    struct cf_image image;
    struct cf_job job;     /* valid in state running */
    struct cf_fault_record fault;
    uint32_t samples;      /* valid entries of platform->samples */

    uint32_t baud;         /* in use */
    uint32_t baud_next;    /* to be set once the answer is out, or 0 */
    uint32_t baud_before;  /* to return to at baud_deadline */
    uint64_t baud_deadline;/* ticks, UINT64_MAX: none */
};

void cf_core_init(struct cf_core *c, const struct cf_platform *platform);

/* Takes received bytes, any number at a time, and carries out what they ask for. */
void cf_core_feed(struct cf_core *c, const uint8_t *bytes, uint32_t n);

/* One turn of the main loop: receives and feeds, or acknowledges and sleeps. Returns 0, or -1 if the peer is gone. */
int cf_core_poll(struct cf_core *c);

#endif
