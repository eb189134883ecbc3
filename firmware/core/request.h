/*
 * What carries out the requests. Each function gets the fields of the body by key, checked for presence and type,
 * and returns the status. It may write answer fields with cf_key_*, in the order of their keys from 2 upwards. core.c calls
 * these, and none of them calls it.
 */
#ifndef CF_REQUEST_H
#define CF_REQUEST_H

#include "answer.h"
#include "core.h"
#include "span.h"

/* Returned by a request that is answered later. */
#define CF_LATER 1

typedef int32_t cf_request(struct cf_core *c, const struct cf_field *f, struct cf_answer *a);

/* A number of 32 bits, or the length of a string or an array, which its packet limits to less. */
static inline uint32_t cf_u32(const struct cf_field *f, uint32_t key) {
    return (uint32_t)f[key].value;
}

/* Whether a key that may be missing has a number of 32 bits if it is there. */
static inline int cf_optional(const struct cf_field *f, uint32_t key) {
    return f[key].type == CF_CBOR_UINT || f[key].type == CF_CBOR_ABSENT;
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

/* load.c */
cf_request cf_begin, cf_chunk, cf_seal, cf_drop;

/* loop.c */

/* Bytes of data memory that belong to a program. */
uint32_t cf_data_length(const struct cf_image *m);

/* The image that runs or is loaded; the other one while a swap is on trial. */
const struct cf_image *cf_current(const struct cf_core *c);

/* What the lists of an image's program refer to. */
struct cf_space cf_space(const struct cf_core *c, const struct cf_image *m);

/* Has an answer written of what the ticks change, all of one moment between two of them: again until none came in between, for as long
 * as a host may wait. */
int32_t cf_steady(struct cf_core *c, const struct cf_field *f, struct cf_answer *a, cf_request *write);

/* Whether no tick is under way that began before. If one does not end in time, the answer is CF_ERR_BUSY. */
int32_t cf_quiet(struct cf_core *c);

/* Reads the tasks of a program: pairs of an entry and its divisor. */
int32_t cf_read_tasks(const struct cf_core *c, const struct cf_image *m, struct cf_program *program, const struct cf_field *tasks,
                      struct cf_answer *a);

/* Plans records of a list in so many bytes. */
int32_t cf_plan_records(const struct cf_core *c, struct cf_records *r, uint32_t list, uint32_t place, uint32_t length);

/* run.c */
cf_request cf_run, cf_samples, cf_read, cf_write;

/* Goes on with the RUN under way for a while. Returns the tick before which there is nothing more to do for it; the state tells
 * whether it has ended. */
uint64_t cf_run_continue(struct cf_core *c);

/* Writes the answer to a RUN that has ended and returns its status. */
int32_t cf_run_answer(struct cf_core *c, struct cf_answer *a);

/* live.c */
cf_request cf_start, cf_stop, cf_live, cf_apply;

/* Notes what the ticks have come to: the end of the loop, or that of a swap. */
void cf_check_loop(struct cf_core *c);

/* telemetry.c */
cf_request cf_subscribe;

/* Ends the subscription. */
void cf_unsubscribe(struct cf_core *c);

/* Writes a packet of what the subscription has for the host, behind its header. Returns its length, 0 if it is not yet time for one. */
uint32_t cf_telemetry(struct cf_core *c, uint8_t *packet);

/* capture.c, swap.c */
cf_request cf_capture, cf_swap;

#endif
