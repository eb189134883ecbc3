/* Running a loaded image and its data: RUN, READ, WRITE. */
#include "bytes.h"
#include "mem.h"
#include "request.h"

/* The sticky arithmetic flags are the first word of the data block. */
#define STICKY_LENGTH 4u

/* A RUN of many turns looks for a HELLO every 1/2^SLICE_SHIFT seconds: 7.8 ms. */
#define SLICE_SHIFT 7

_Static_assert(CF_KEY_RUN_REQ_ENTRY == 1 && CF_KEY_RUN_REQ_COUNT == 2 && CF_KEY_RUN_REQ_PERIOD == 3 && CF_KEY_RUN_REQ_REST == 4
                   && CF_KEY_RUN_REQ_LIMIT == 5 && CF_KEY_RUN_REQ_SILENCE == 6,
               "copied in this order");

/* A limit in counts. */
static cf_number longest_limit(void) {
    const uint32_t hz = cf_hal_timer_hz();
    return CF_FAST && hz > INT32_MAX / CF_RUN_LIMIT_S ? INT32_MAX : CF_RUN_LIMIT_S * (cf_number)hz;
}

int32_t cf_run(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_job *job = &c->job;
    const struct cf_image *m = &c->image[0];

    (void)a;
    if (c->state != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    const uint32_t above = cf_take(&job->entry, f, CF_KEY_RUN_REQ_ENTRY, 6);
    if (job->entry >= m->announced[CF_IMAGE_ENTRIES]) {
        return CF_ERR_OUT_OF_RANGE;
    }
    const cf_number longest = longest_limit();
    if (job->limit == 0) {
        job->limit = longest;
    }
    if (job->count == 0 || ((CF_SMALL ? job->period >> CF_LOOP_TIME_BITS | job->silence >> 31 : 0) | above) != 0 || job->limit > longest) {
        return CF_ERR_BAD_LENGTH;
    }
    memset(&job->runs, 0, sizeof *job - offsetof(struct cf_job, runs));
    c->stream.on = 0; /* its buffer is that of samples */
    if (m->space.data_length >= STICKY_LENGTH) {
        *(cf_word *)(void *)m->space.data = 0;
    }
    c->state = CF_STATE_RUNNING;
    job->mark = cf_hal_ticks();
    return CF_LATER;
}

/* Sets the mark of the next run, without drift. If it has passed already, that run is late, and the marks go on from
 * now, so that a program which was too slow once does not have to catch up. */
__attribute__((noinline)) static void next_mark(struct cf_job *job) {
    const cf_moment now = cf_hal_ticks();

    const uint32_t rest = (uint32_t)job->rest;

    job->carry += rest;
    job->mark += job->period + (job->carry < rest);
    if (cf_before(job->mark, now)) {
        job->mark = now;
        job->runs.late += (job->period | job->rest) != 0;
    }
}

__attribute__((noinline)) static void record(struct cf_runs *r, const struct cf_platform *p, cf_number counts) {
    if (r->ended < p->capacity[CF_CAPACITY_SAMPLES]) {
        p->samples[r->ended] = counts > UINT32_MAX ? UINT32_MAX : (uint32_t)counts;
    }
    if (r->ended == 0 || counts < r->min.number) {
        r->min.number = counts;
    }
    if (counts > r->max.number) {
        r->max.number = counts;
    }
    r->total += counts;
    r->ended++;
}

/* One run; returns 0 if the job has ended with it. */
static int run_once(struct cf_core *c) {
    const struct cf_platform *p = c->platform;
    struct cf_job *job = &c->job;

    const struct cf_image *m = &c->image[0];
    if (cf_hal_call(m->code + m->announced[CF_IMAGE_ENTRY + job->entry], m->space.data, job->limit, &c->call) != 0) {
        c->failure.fault = c->call.fault;
        c->failure.entry = (uint32_t)job->entry;
        c->failure.run = job->runs.ended;
        c->state = CF_STATE_FAULTED;
        return 0;
    }
    record(&job->runs, p, c->call.end - c->call.start);
    if (job->runs.ended == job->count) {
        c->state = CF_STATE_READY;
        return 0;
    }
    next_mark(job);
    return 1;
}

cf_moment cf_run_continue(struct cf_core *c) {
    struct cf_job *job = &c->job;
    const cf_moment start = cf_hal_ticks();
    const cf_moment end = start + (cf_hal_timer_hz() >> SLICE_SHIFT);

    if (job->silence != 0 && start - c->heard >= job->silence) {
        c->state = CF_STATE_READY; /* nobody waits for the rest of that RUN */
        return 0;
    }
    while (cf_before(cf_hal_ticks(), end)) {
        if (cf_before(end, job->mark)) {
            return end;
        }
        cf_hal_until(job->mark);
        if (!run_once(c)) {
            break;
        }
    }
    return 0;
}

_Static_assert(CF_KEY_RUN_RSP_RUNS == 2 && CF_KEY_RUN_RSP_FAULT == 3, "written in this order");

int32_t cf_run_answer(struct cf_core *c, struct cf_answer *a) {
    struct cf_job *job = &c->job;
    const struct cf_image *m = &c->image[0];

    if (m->space.data_length >= STICKY_LENGTH) {
        job->runs.sticky = *(const cf_word *)(const void *)m->space.data;
    }
    cf_key_bytes(a, &job->runs, CF_RUNS_LENGTH);
    if (c->state != CF_STATE_FAULTED) {
        return job->runs.ended == job->count ? CF_OK : CF_ERR_SILENCE;
    }
    cf_key_fault(a, c, &c->failure);
    return c->failure.fault.kind == CF_FAULT_TIME_LIMIT ? CF_ERR_TIME_LIMIT : CF_ERR_FAULT;
}

_Static_assert(CF_KEY_READ_REQ_OFFSET == 1 && CF_KEY_READ_REQ_LENGTH == 2 && CF_KEY_WRITE_REQ_OFFSET == 1 && CF_KEY_WRITE_REQ_BYTES == 2
                   && CF_KEY_READ_REQ_REGION == 3 && CF_KEY_WRITE_REQ_REGION == 3,
               "spans have the same keys");
_Static_assert(CF_KEY_READ_RSP_BYTES == 2 && CF_KEY_READ_RSP_TICK == 3, "the pairs behind the status");

/* Whether a state is one of a program that has been loaded, at most `last`. */
static int is_loaded(uint8_t state, uint8_t last) {
    return state == CF_STATE_READY || (state >= CF_STATE_FAULTED && state <= last);
}

/* Finds the bytes that a request names by its keys 1 to 3. Those of a program need a state of at most `last`. */
static int32_t find(const struct cf_core *c, const struct cf_field *f, uint8_t last, uint8_t **at) {
    const struct cf_image *m = cf_current(c);
    uint32_t length = m->space.data_length;
    const uint32_t region = f[3].at == NULL ? CF_REGION_DATA : cf_u32(f, 3);

    *at = m->space.data;
    if (region == CF_REGION_LIVE) {
        *at = c->platform->live;
        length = c->platform->capacity[CF_CAPACITY_LIVE];
    } else {
#if defined(CF_HAL_PINS)
        if (region == CF_REGION_DRIVERS && last == CF_STATE_TICKING) { /* a READ */
            *at = c->platform->drivers;
            length = c->platform->drivers_length;
            if (!cf_within(cf_u32(f, 1), cf_u32(f, 2), length)) {
                return CF_ERR_OUT_OF_RANGE;
            }
            *at += cf_u32(f, 1);
            return CF_OK;
        }
#endif
        if (region == CF_REGION_SAMPLES && last == CF_STATE_TICKING) { /* a READ */
            const uint32_t most = c->platform->capacity[CF_CAPACITY_SAMPLES];
            *at = (uint8_t *)c->platform->samples;
            length = 4u * (c->job.runs.ended < most ? c->job.runs.ended : most);
            last = CF_STATE_FAULTED;
        } else if (region != CF_REGION_DATA) {
            return CF_ERR_OUT_OF_RANGE;
        }
        if (!is_loaded(c->state, last)) {
            return CF_ERR_BAD_STATE;
        }
    }
    if (!cf_within(cf_u32(f, 1), cf_u32(f, 2), length)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    *at += cf_u32(f, 1);
    return CF_OK;
}

static int32_t read_bytes(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint8_t *at;
    int32_t status = find(c, f, CF_STATE_TICKING, &at);

    if (status == CF_OK) {
        cf_key_bytes(a, at, cf_u32(f, CF_KEY_READ_REQ_LENGTH));
        if (c->state == CF_STATE_TICKING && cf_u32(f, CF_KEY_READ_REQ_REGION) != CF_REGION_LIVE) {
            cf_key_uint(a, c->loop->count[CF_LOOP_TICKS]);
        }
    }
    return status;
}

int32_t cf_read(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
#if CF_HAS_STORE
    if (cf_u32(f, CF_KEY_READ_REQ_REGION) == CF_REGION_STORE) { /* which no tick changes */
        return cf_store_read(c, f, a);
    }
#endif
    return c->state == CF_STATE_TICKING ? cf_steady(c, f, a, read_bytes) : read_bytes(c, f, a);
}

int32_t cf_write(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint8_t *at;
    int32_t status = find(c, f, CF_STATE_READY, &at);

    (void)a;
    if (status == CF_OK) {
        memcpy(at, f[CF_KEY_WRITE_REQ_BYTES].at, cf_u32(f, CF_KEY_WRITE_REQ_BYTES));
    }
    return status;
}
