/*
 * Programs that are stored on the board: requests recorded in memory that keeps its content, which the runner carries out by itself when
 * it starts (SPEC.md, section 11). A part of its own that a runner may leave out.
 */
#ifndef CF_STORE_H
#define CF_STORE_H

#include <stdint.h>

#include "codes_gen.h"
#include "small.h"

#ifndef CF_HAS_STORE
#define CF_HAS_STORE 0
#endif

/* Where size counts the code of this part lies in a section of its own, by which it has a budget of its own. */
#if CF_HAS_STORE && CF_SMALL && !__STDC_HOSTED__
#define CF_STORE_CODE __attribute__((noinline, section(".store")))
#else
#define CF_STORE_CODE
#endif

#define CF_STORE_MAGIC 0x746f4c53u

/* The start of a slot. */
struct cf_stored {
    uint32_t magic;    /* CF_STORE_MAGIC */
    uint32_t sequence; /* the slot that has the greater one counts */
    uint32_t flags;    /* CF_STORE_AUTOSTART */
    uint32_t length;   /* of the records, bytes, at least 1 */
    uint64_t digest;   /* of the records */
    uint64_t check;    /* digest of the above */
};
_Static_assert(sizeof(struct cf_stored) == 32, "as SPEC.md has it");

/* What the link knows of it. */
struct cf_store {
    const struct cf_stored *current; /* with length 0 the one that is not written first */
    /* What STORE answers. */
    struct {
        uint32_t memory[4];          /* the first numbers of struct cf_store_memory */
        uint32_t state;              /* CF_STORED_* */
        uint32_t sequence;           /* this and the next ones of the current slot; 0: there is none */
        uint32_t flags;
        uint32_t length;
        uint32_t digest[2];
        uint32_t record;             /* that was refused, from 1 on */
        uint32_t refusal;            /* its status, as it is on the wire */
    } told;
};

struct cf_core;

/* Carries out what is stored, unless it is held back. */
void cf_store_start(struct cf_core *c);

/* core.c: carries out a record, whose answer nobody gets. Returns its status, CF_LATER for a START without CF_STORE_AUTOSTART among the flags. */
int32_t cf_replay(struct cf_core *c, const uint8_t *record, uint32_t length, uint32_t flags);

#endif
