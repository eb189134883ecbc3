/*
 * A runner on the workbench: the core with a platform whose memory, line and programs are under the test's control.
 *
 * Every buffer is an allocation of its own and exactly as large as the core is told, so that the address sanitizer sees the first
 * byte too far.
 */
#ifndef CF_TEST_BENCH_H
#define CF_TEST_BENCH_H

#include <stdint.h>
#include <stdlib.h>

#include "core/cbor.h"
#include "core/core.h"
#include "core/loop.h"

#define CODE_SIZE 512u
#define DATA_SIZE 1024u
#define SAMPLES 32u /* telemetry has packets of 128 bytes then */
#define LIVE_SIZE 2048u
#define PACKET 512u
#define TIMER_HZ 1000000u

/* Registers of the bench, within windows: some that keep what is written, of others only these bits may change, and one that counts
 * how often it is read. */
#define PLAIN_AT 0x40000000u
#define PLAIN_LENGTH 64u
#define GUARDED_AT 0x40001000u
#define GUARDED_LENGTH 8u
#define GUARDED_BITS 0x0000ff0fu
#define COUNTER_AT 0xfffffffcu /* the last one of all addresses */
#define COUNTER_LENGTH 4u
#define REGISTERS (PLAIN_LENGTH + GUARDED_LENGTH + COUNTER_LENGTH)

/* Programs are bytes: the first byte at the entry says what the call does. */
enum program {
    PROGRAM_RETURN = 0,  /* adds 1 to data word 4, if there is one */
    PROGRAM_FAULT = 1,   /* 1 to 7: this CF_FAULT_* */
    PROGRAM_STICKY = 8,  /* sets the sticky flags to 3 */
    PROGRAM_SLOW = 9,    /* takes 1 s, or what a test says */
    PROGRAM_OUTSIDE = 10,/* faults at bench.outside */
    PROGRAM_TURNS = 11,  /* returns, but faults when data word 4 is 2 */
    PROGRAM_LATER = 12,  /* for tasks of a test */
};

struct bench {
    struct cf_platform platform;
    struct cf_core core;
    uint32_t bauds[3];
    uintptr_t services[2];

    uint32_t timer_hz;
    const struct cf_fault *boot_fault;
    uint32_t conditions;
    uint64_t begin;     /* ticks at the start */
    uint64_t now;       /* ticks, of which the core may see the low bits */
    uint32_t baud;      /* in use on the line */
    int baud_refused;   /* cf_hal_set_baud fails */
    int hung_up;
    uint32_t calls;
    uint64_t slow;      /* ticks that PROGRAM_SLOW takes */
    uint64_t last_limit; /* ticks */
    uintptr_t outside;   /* an address that is no code, unless a test sets it to one */
    cf_moment last_deadline; /* of cf_hal_wait */
    uint32_t waits;          /* calls of it */
    uint32_t unloads;   /* calls of cf_hal_unload */
    uint32_t synced;    /* bytes of the last cf_hal_sync_code */
    uint32_t nonce;

    int32_t watchdog;       /* what the platform says to one */
    int ticking;            /* between cf_hal_loop_start and cf_hal_loop_stop */
    uint64_t next_tick;     /* when the next one is due, UINT64_MAX: never */
    uint32_t cost;          /* counts that a call of a task takes */
    struct cf_fault lost;   /* what cf_hal_loop_check finds, once */
    /* The tasks; offset is that of the entry in code memory. Returns the kind of its fault. NULL: as programs of RUN. */
    uint32_t (*task)(uint32_t offset, uint8_t *data);

    uint8_t registers[REGISTERS]; /* of one window after the other */
    uint32_t accesses;            /* to them */

#if CF_HAS_STORE
    struct cf_store_memory memory; /* a geometry that a test sets before the first start, or that of bench.c */
    uint8_t *slots;                /* all ones at first; what is in it stays */
    int held;                      /* somebody presses the button */
    int stuck;                     /* the memory takes nothing any more */
    /* Called before a unit is written, or a page is erased (bytes is NULL): power may go off in the middle. NULL: it does not. */
    void (*power)(uint8_t *at, const uint8_t *bytes, uint32_t n);
#endif

    uint8_t *rx; /* what the line holds for cf_hal_rx */
    uint32_t rx_length;
    uint8_t *tx; /* what the core has sent */
    uint32_t tx_length;
    uint32_t tx_capacity;
};

/* The bench that the HAL functions work on. */
extern struct bench bench;

/* Memory for stored programs of another geometry, all ones. */
void bench_store(uint32_t length, uint32_t page, uint32_t unit);

/* Starts afresh; the memory keeps what was in it, as after a warm restart. */
void bench_start(uint32_t max_packet);

/* Whether data memory has so many words from there on: an image may have less, at its end. */
int bench_has_words(const uint8_t *data, uint32_t count);

/* What the core calls a moment, of those with these bits the nearest to now. */
uint64_t bench_near(cf_moment at);

/* The next tick, so many counts late. */
void bench_tick(uint32_t late);

/* Ends the process with the place and what was expected. */
_Noreturn void bench_fail(const char *file, int line, const char *what, long long got, long long want);

#define CHECK(condition)                                             \
    do {                                                             \
        if (!(condition)) {                                          \
            bench_fail(__FILE__, __LINE__, #condition, 0, 1);        \
        }                                                            \
    } while (0)

#define CHECK_EQUAL(got, want)                                                     \
    do {                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);              \
        if (got_ != want_) {                                                       \
            bench_fail(__FILE__, __LINE__, #got " == " #want, got_, want_);        \
        }                                                                          \
    } while (0)

/* Writes a frame of header and body to out, which has room for it; returns its length with the delimiter. */
uint32_t frame(uint8_t *out, uint8_t kind, uint8_t version, uint16_t session, uint16_t seq, const uint8_t *body, uint32_t length);

/* The next packet that the core has sent, from *at on; returns its length without CRC, 0 if there is none. */
uint32_t sent(uint32_t *at, uint8_t packet[CF_MAX_PACKET_LENGTH]);

#endif
