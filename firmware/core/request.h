/*
 * What carries out the requests. Each function gets the fields of the body by key, checked for presence and type,
 * and returns the status. It may write answer fields with cf_key_*, in the order of their keys from 2 upwards. core.c calls
 * these, and none of them calls it but store.c.
 */
#ifndef CF_REQUEST_H
#define CF_REQUEST_H

#include <stddef.h>

#include "answer.h"
#include "core.h"
#include "span.h"

/* Returned by a request that is answered later. */
#define CF_LATER 64

typedef int32_t cf_request(struct cf_core *c, const struct cf_field *f, struct cf_answer *a);

/* A number of 32 bits, or the length of a string or an array, which its packet limits to less. */
static inline uint32_t cf_u32(const struct cf_field *f, uint32_t key) {
    return (uint32_t)f[key].value;
}

/* Whether there are ticks, which there are wherever size comes first. */
static inline int cf_has_loop(const struct cf_core *c) {
    return CF_SMALL || c->loop != NULL;
}

/* Whether programs can be stored, as wherever size comes first and there is code for it. */
static inline int cf_has_store(const struct cf_core *c) {
    return CF_HAS_STORE && (CF_SMALL || c->platform->store != NULL);
}

/* about.c */
cf_request cf_hello, cf_status;

/* Writes the next pair: a fault record. */
void cf_key_fault(struct cf_answer *a, const struct cf_core *c, const struct cf_failure *x);

/* baud.c */
cf_request cf_baud;

/* Switches to baud_next, after its answer is out. */
void cf_switch_baud(struct cf_core *c);

/* Returns to the first rate if nothing valid has arrived at a new one in time. */
void cf_check_baud(struct cf_core *c);

/* request.c: takes the numbers of so many keys, from one on. Returns 0, or bits of those for which there is no room. */
uint32_t cf_take(cf_number *to, const struct cf_field *f, uint32_t key, uint32_t n);

/* load.c */
cf_request cf_begin, cf_chunk, cf_seal, cf_drop;

/* loop.c */

/* The image that runs or is loaded; the other one while a swap is on trial. */
const struct cf_image *cf_current(const struct cf_core *c);

/* Has an answer written of what the ticks change, all of one moment between two of them: again until none came in between, for as long
 * as a host may wait. */
int32_t cf_steady(struct cf_core *c, const struct cf_field *f, struct cf_answer *a, cf_request *write);

/* Makes an image a program of the loop, with the tasks and the pins of its request, and a list of safe values. */
int32_t cf_set_program(const struct cf_core *c, struct cf_image *m, uint32_t program, const struct cf_field *f, uint32_t safe, struct cf_answer *a);

/* Plans records: those of the list at key 1 of the request, in the place and the length at this key and the next one. Before, *on is set
 * to 0, and no tick goes on that has seen it otherwise. If there is no list the records have none, either. */
int32_t cf_plan_records(struct cf_core *c, const struct cf_field *f, uint32_t place, uint32_t *on, struct cf_records *r);

/* run.c */
cf_request cf_run, cf_read, cf_write;

/* Goes on with the RUN under way for a while. Returns the tick before which there is nothing more to do for it; the state tells
 * whether it has ended. */
cf_moment cf_run_continue(struct cf_core *c);

/* Writes the answer to a RUN that has ended and returns its status. */
int32_t cf_run_answer(struct cf_core *c, struct cf_answer *a);

/* live.c */
cf_request cf_start, cf_stop, cf_live, cf_apply;

/* Notes what the ticks have come to: the end of the loop, for this reason unless it is none or they have another one, or that of a swap. */
void cf_follow_loop(struct cf_core *c, uint32_t why);

/* telemetry.c */
cf_request cf_subscribe;

/* Writes a packet of what the subscription has for the host, behind its header. Returns its length, 0 if it is not yet time for one. */
uint32_t cf_telemetry(struct cf_core *c, uint8_t *packet);

/* capture.c, swap.c */
cf_request cf_capture, cf_swap;

/* store.c; the second one is READ of its region */
cf_request cf_store, cf_store_read;

#endif
