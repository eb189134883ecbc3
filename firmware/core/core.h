/*
 * The runner: takes frames, keeps the session, loads images and runs them. One struct holds all of its state; the
 * memory it works on belongs to the platform (hal/hal.h).
 */
#ifndef CF_CORE_H
#define CF_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "codes_gen.h"
#include "frame.h"
#include "hal/hal.h"
#include "link.h"
#include "loop.h"
#include "store.h"

/* Receive counters, in the order of the STATUS answer. */
enum cf_counter {
    CF_COUNT_FRAMES_OK,
    CF_COUNT_CRC_ERRORS,
    CF_COUNT_FRAMING_ERRORS,
    CF_COUNT_OVERRUNS,
    CF_COUNT_DUPLICATES,
    CF_COUNT_STATE, /* that of the runner */
    CF_COUNTERS,
};

/* Memory that CHUNKs fill. */
struct cf_region {
    uint8_t *bytes;
    uint32_t length;
};

/* What BEGIN announces, in the order of its keys, and of the digest. */
enum cf_announced {
    CF_IMAGE_ARCH,
    CF_IMAGE_FEATURES_LOW,
    CF_IMAGE_FEATURES_HIGH,
    CF_IMAGE_CODE, /* lengths, bytes */
    CF_IMAGE_DATA,
    CF_IMAGE_BSS,
    CF_IMAGE_PATCHES,
    CF_IMAGE_ENTRIES, /* how many */
    CF_IMAGE_ENTRY,   /* the first of them */
    CF_ANNOUNCED = CF_IMAGE_ENTRY + CF_MAX_ENTRIES,
};

/* An image and what has arrived of it. */
struct cf_image {
    struct cf_space space;      /* of its data, what is initialised and what is not */
    uintptr_t code;             /* address of its code */
    struct cf_region region[3]; /* by CF_REGION_*; patches lie in data memory behind data and bss */
    uint32_t missing;           /* bytes that have not arrived yet */
    uint32_t safe;              /* list of the loop's safe values, 0: none */
    uint32_t announced[CF_ANNOUNCED];
    uint64_t digest;
};

/* A number of 64 bits in an answer, the upper ones 0 where cf_number has fewer. */
union cf_wide {
    uint64_t wide;
    cf_number number;
};

/* What has come of the runs, as the answer to RUN has it. */
struct cf_runs {
    uint64_t total;    /* counts of all of them */
    union cf_wide min; /* of the shortest */
    union cf_wide max; /* of the longest */
    uint32_t ended;    /* how many, normally */
    uint32_t late;
    uint32_t sticky;   /* flags */
};
_Static_assert(offsetof(struct cf_runs, sticky) + 4 == CF_RUNS_LENGTH, "as SPEC.md has it");

/* A RUN under way. It goes on in slices, so that the runner hears a HELLO during it. */
struct cf_job {
    cf_number entry;      /* this and the next ones in the order of RUN */
    cf_number count;
    cf_number period;     /* counts between marks */
    cf_number rest;       /* and 2^-32 counts; 0 like the period: back to back */
    cf_number limit;      /* counts that each run may take */
    cf_number silence;    /* counts without a frame that end it, 0: it goes on; below 2^31 where moments have 32 bits */
    struct cf_runs runs;  /* this and what follows begins with 0 */
    cf_moment mark;       /* at which the next run is due */
    uint32_t carry;       /* 2^-32 counts that mark lags behind */
};

/* A subscription. All that it takes to send what the ticks have written. */
struct cf_stream {
    struct cf_records ring; /* next is the slot that is sent next */
    uint32_t every;
    uint32_t batch;
    uint32_t taken;
    uint32_t tick; /* of the record that would follow the last one without a gap */
#if !CF_SMALL
    uint32_t left; /* records that may follow the end of the loop */
#endif
    uint16_t seq; /* of the next packet */
    uint8_t on;
};

/* What is used most comes first: the short loads of Thumb reach 31 bytes far for a byte and 124 for a word. */
struct cf_core {
    struct cf_decoder decoder;
    const struct cf_platform *platform;
    struct cf_loop *loop; /* of the platform */
    uint8_t looped;        /* there has been a loop since BEGIN: *loop tells of it */
    uint8_t state;         /* CF_STATE_* */
    uint8_t beside;        /* the same of what is loaded beside the program whose loop runs */
    uint8_t swapping;      /* SWAP has been asked for, and it is not decided yet */
    uint8_t chunks;        /* CHUNKs since the last ACK */
    uint8_t trying;        /* no frame has come at the new rate */
    uint32_t reply_length; /* of the answer in tx_packet, without CRC; 0: none is stored */
    struct cf_link link;

#if CF_HAS_SWAP
    struct cf_image *load; /* what BEGIN and its like are about: the program, or what is loaded beside it while its loop runs */
    uint8_t *load_state;
#endif
    uint32_t baud_next;    /* to be set once the answer is out, or 0 */
    cf_moment heard;       /* when a valid frame has come last */
    cf_moment baud_deadline;/* when it is too late for a frame at a new rate */
    uint32_t program;      /* index in the loop of the program that is not on trial */

    uint32_t boot_nonce;   /* once open */
    struct cf_call call;   /* the last one of RUN */
    struct cf_failure failure; /* the last one, kind 0: none since BEGIN */
    struct cf_job job;     /* valid in the states running and faulted */
    uint32_t counter[CF_COUNTERS];
    cf_moment start;       /* when tick 0 was due */
    struct cf_image image[CF_PROGRAMS]; /* the program, valid in every state but idle; then the one beside */
    struct cf_stream stream;
#if CF_HAS_STORE
    struct cf_store store;
#endif
};

/* BEGIN and its like are about this one from now on. */
static inline void cf_load_into(struct cf_core *c, uint32_t image) {
#if CF_HAS_SWAP
    c->load = &c->image[image];
    c->load_state = image == 0 ? &c->state : &c->beside;
#else
    (void)c, (void)image;
#endif
}

/* Starts a runner, and what is stored on it. All of c is zero before, as that of a static variable is. */
void cf_core_init(struct cf_core *c, const struct cf_platform *platform);

/* Takes received bytes, any number at a time, and carries out what they ask for. */
void cf_core_feed(struct cf_core *c, const uint8_t *bytes, uint32_t n);

/* One turn of the main loop: receives and feeds, or acknowledges and sleeps. Returns 0, or -1 if the peer is gone. */
int cf_core_poll(struct cf_core *c);

#endif
