/*
 * The loop: entries of the loaded program that are called every tick, while the link goes on.
 *
 * Two sides share struct cf_loop, and neither waits for the other. The tick's side is cf_loop_tick, which pre-empts the link, or
 * runs on another processor; the link's side is all the rest of the core. Where programs run in a process of their own, the
 * tick's side is that process: the link takes each word that it reads here as the word of the program, and nothing that
 * stands here makes it read or write outside of its memory.
 */
#ifndef CF_LOOP_H
#define CF_LOOP_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "codes_gen.h"
#include "hal/hal.h"
#include "small.h"

/* What the core brings with it: the smallest parts leave features out. */
#ifndef CF_LOOP_FEATURES
#define CF_LOOP_FEATURES (CF_LOOP_CAPTURE | CF_LOOP_SWAP)
#endif
#define CF_HAS_CAPTURE (CF_LOOP_FEATURES & CF_LOOP_CAPTURE)
#define CF_HAS_SWAP (CF_LOOP_FEATURES & CF_LOOP_SWAP)

/* Lists of operations on registers (pins.h). Not where programs can write to struct cf_loop. */
#ifndef CF_HAS_PINS
#define CF_HAS_PINS 1
#endif

/* The program that runs, and where there are swaps the other one. */
#define CF_PROGRAMS (CF_HAS_SWAP ? 2 : 1)

/* The first tick is due so long after START: 1/512 s. */
#define CF_LOOP_START_SHIFT 9

/* START refuses times that have any of the bits above: all sums of a few of them fit. */
#if CF_SMALL
#define CF_LOOP_TIME_BITS 30
#else
#define CF_LOOP_TIME_BITS 40
#endif

/* What lists refer to (list.c). Lengths of live memory are below 2^30. */
struct cf_space {
    uint8_t *live;
    uint8_t *data;
    uint32_t live_length;
    uint32_t data_length;
};

struct cf_task {
    uintptr_t entry;  /* address */
    uint32_t divisor; /* at least 1 */
    uint32_t index;   /* of the entry, for the fault record */
};

/* Whether the platform makes code of lists for the pins, and has what pins.h declares. With a driver it does not: what a driver has is
 * reached by calls. */
#if CF_HAS_PINS && defined(CF_HAL_PINS_ARE_CODE) && !CF_DRIVER
#define CF_PINS_ARE_CODE 1
#else
#define CF_PINS_ARE_CODE 0
#endif

/* A list for the pins that has been made code, as the platform has it. */
struct cf_pin_code {
    const struct cf_pin_entry *before; /* the one in front of its first entry, or the counts of the lists; NULL: there are no lists */
    uintptr_t code;
};

/* A program as the ticks see it. */
struct cf_program {
    struct cf_space space;
#if CF_PINS_ARE_CODE
    struct cf_pin_code list[4]; /* by CF_PINS_* */
    uint32_t apart; /* whether the lists of a tick have to be carried out apart from the call of the task between them */
#endif
    uint32_t safe;      /* list, 0: none */
    uint32_t telemetry; /* list, 0: none */
    uint32_t count;     /* of tasks, at most CF_MAX_ENTRIES */
#if CF_HAS_PINS && !CF_PINS_ARE_CODE
    const cf_word *pins; /* in the code block; NULL: none */
#endif
    struct cf_task task[CF_MAX_ENTRIES];
};

/* In the order of the answer to LIVE. */
enum cf_loop_count {
    CF_LOOP_END,
    CF_LOOP_TICKS,
    CF_LOOP_MISSED,
    CF_LOOP_APPLIED,
    CF_LOOP_APPLIED_TICK,
    CF_LOOP_DROPS,
    CF_LOOP_CAPTURE_STATE,
    CF_LOOP_CAPTURE_NEXT,
    CF_LOOP_CAPTURE_TICK,
    CF_LOOP_SWAP_STATE,
    CF_LOOP_SWAP_TICK,
    CF_LOOP_STICKY, /* flags raised so far */
    CF_LOOP_COUNTS,
};

/* Of one of these times over all ticks, in counts; as the answer to LIVE has them. */
struct cf_figure {
    uint32_t min;
    uint32_t max;
    uint64_t total;
};

enum { CF_LATENESS, CF_EXECUTION, CF_SLACK, CF_FIGURES };

/* A fault and where it was. */
struct cf_failure {
    struct cf_fault fault; /* kind 0: none */
    uint32_t entry;
    uint32_t run; /* of RUN, or the tick */
};

/* Records in live memory, each of a tick, a time and values. */
struct cf_records {
    uint32_t list;
    uint32_t place;
    uint32_t record; /* bytes of one */
    uint32_t slots;  /* records that there is room for */
    uint32_t next;   /* slot, less than slots */
};

struct cf_capture {
    struct cf_records ring;
    cf_number offset;    /* of the trigger's variable; this and the next ones in the order of CAPTURE */
    cf_number trigger;   /* CF_TRIGGER_* */
    cf_number threshold;
    cf_number left;      /* records to come after the trigger */
    cf_number type;      /* CF_TRIGGER_TYPE_* */
    uint32_t hit;        /* the variable was beyond the threshold one tick before */
};

/* In the order of SWAP. */
struct cf_swap {
    cf_number gather;
    cf_number scatter;
    cf_number scratch;
    cf_number trial; /* ticks that are left of it */
};

/* What is used most comes first: the short loads of Thumb reach 124 bytes far. */
struct cf_loop {
    uint32_t sequence; /* of the tick's side: odd within a tick */

    /* Of the link, at any time. */
#if CF_SMALL
    cf_moment heard;      /* when the last valid frame has come */
#else
    uint32_t frames;      /* valid ones so far */
#endif
    uint32_t staged;      /* list to be applied, 0: none; the tick sets it back */
    uint32_t staged_tick; /* not before this one; 0: the next */
    uint32_t taken;       /* records of telemetry that have been sent */

    /* Of the tick's side. */
    uint32_t tick;        /* number of the next one */
    uint32_t time;        /* when the last one started, the low bits */
    uint32_t carry;       /* 2^-32 counts that `due` lags behind */
    uint32_t current;     /* index of the program that runs */
#if !CF_SMALL
    uint32_t frames_seen;
    cf_moment heard;      /* when `frames` had last changed */
#endif
    cf_moment due;        /* of the next tick: of the link, before the start, then of the tick's side */

    /* Of the link, before the start, in the order of START. */
    cf_number period;     /* counts */
    cf_number rest;       /* of the period, 2^-32 counts */
    cf_number limit;      /* counts that a tick may take */
    cf_number tasks;      /* no more than their key */
    cf_number misses;     /* most due times missed in a row */
    cf_number silence;    /* counts without a frame that end the loop, 0: it goes on */
    cf_number safe;       /* list, 0: none */
    cf_number histograms; /* place of the first counter, 0: none */
    uint32_t watchdog;    /* as cf_hal_watchdog has it, 0: none, or no loop; for the platform */
    uint32_t fed;         /* of the platform: `tick` when it fed the watchdog last */
    uint32_t buckets;     /* of each of the three histograms */

    uint32_t written;     /* records of telemetry: of the link while it is off, else of the tick's side */

    /* Of the tick's side, but for the start: what LIVE answers. */
    union {
        struct {
            uint32_t count[CF_LOOP_COUNTS]; /* by CF_LOOP_* */
            uint64_t start;                 /* when tick 0 was due; of the link */
            struct cf_figure figure[CF_FIGURES];
        };
        uint8_t report[CF_REPORT_LENGTH];
    };

    /* Of the link while telemetry is off, else of the tick's side. */
    uint32_t every;   /* so many ticks */
    struct cf_records telemetry;

    struct cf_failure failure;
    struct cf_program program[CF_PROGRAMS];
#if CF_HAS_CAPTURE
    struct cf_capture capture;
#endif
#if CF_HAS_SWAP
    struct cf_swap swap;
#endif
};

_Static_assert(offsetof(struct cf_loop, failure) >= offsetof(struct cf_loop, report) + CF_REPORT_LENGTH
                   && offsetof(struct cf_loop, start) == offsetof(struct cf_loop, report) + 4 * CF_LOOP_COUNTS
                   && offsetof(struct cf_loop, figure) == offsetof(struct cf_loop, start) + 8
                   && sizeof(struct cf_figure[CF_FIGURES]) == CF_REPORT_LENGTH - 8 - 4 * CF_LOOP_COUNTS,
               "as SPEC.md has it");

/* Words that both sides use. One processor needs no more than their order in the program. */
static inline uint32_t cf_get(const uint32_t *word) {
#if CF_SMALL
    const uint32_t value = *(const volatile uint32_t *)word;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

static inline void cf_set(uint32_t *word, uint32_t value) {
#if CF_SMALL
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *(volatile uint32_t *)word = value;
#else
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

static inline void cf_fence(void) {
#if CF_SMALL
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* One tick, at the time `now`, at or after l->due, which is that of the next one then. On the tick's level. */
void cf_loop_tick(struct cf_loop *l, cf_moment now);

/* By the link: a valid frame has come. A moment of two words cannot be told so, there the tick's side takes its own. */
static inline void cf_loop_heard(struct cf_loop *l, cf_moment now) {
#if CF_SMALL
    cf_set(&l->heard, now);
#else
    (void)now;
    cf_set(&l->frames, l->frames + 1);
#endif
}

/* Whether there is a next tick. */
static inline int cf_loop_goes_on(const struct cf_loop *l) {
    return cf_get(&l->count[CF_LOOP_END]) == CF_LOOP_END_NONE;
}

#endif
