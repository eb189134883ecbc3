/* Running a loaded image and its data: RUN, SAMPLES, READ, WRITE. */
#include "bytes.h"
#include "divide.h"
#include "mem.h"
#include "request.h"

/* The sticky arithmetic flags are the first word of the data block. */
#define STICKY_LENGTH 4u

#define MICRO 1000000u

/* A RUN of many turns looks for a HELLO every 1/2^SLICE_SHIFT seconds: 7.8 ms. */
#define SLICE_SHIFT 7

int32_t cf_run(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const struct cf_platform *p = c->platform;
    uint32_t limit_us = cf_u32(f, CF_KEY_RUN_REQ_LIMIT);
    struct cf_quotient step = cf_divide(f[CF_KEY_RUN_REQ_PERIOD].value * p->timer_hz, MICRO);
    struct cf_job *job = &c->job;

    (void)a;
    if (c->state != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    if (cf_u32(f, CF_KEY_RUN_REQ_ENTRY) >= c->image.entry_count) {
        return CF_ERR_OUT_OF_RANGE;
    }
    if (cf_u32(f, CF_KEY_RUN_REQ_COUNT) == 0) {
        return CF_ERR_BAD_LENGTH;
    }
    memset(job, 0, sizeof *job);
    job->entry = cf_u32(f, CF_KEY_RUN_REQ_ENTRY);
    job->count = cf_u32(f, CF_KEY_RUN_REQ_COUNT);
    job->limit_us = limit_us != 0 ? limit_us : CF_CORE_LIMIT_US;
    job->step = step.quotient;
    job->step_rest = step.rest;
    if (cf_data_length(c) >= STICKY_LENGTH) {
        cf_store32(p->data, 0);
    }
    c->samples = 0;
    c->state = CF_STATE_RUNNING;
    job->mark = cf_hal_ticks();
    return CF_LATER;
}

/* Sets the mark of the next run, without drift. If it has passed already, that run is late, and the marks go on from
 * now, so that a program which was too slow once does not have to catch up. */
static void next_mark(struct cf_job *job) {
    uint64_t now = cf_hal_ticks();

    job->mark += job->step;
    job->carry += job->step_rest;
    if (job->carry >= MICRO) {
        job->carry -= MICRO;
        job->mark++;
    }
    if (now > job->mark) {
        job->mark = now;
        job->late++;
    }
}

static void record(struct cf_core *c, uint64_t ticks) {
    struct cf_job *job = &c->job;

    if (job->runs < c->platform->sample_capacity) {
        c->platform->samples[job->runs] = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
        c->samples = job->runs + 1;
    }
    if (job->runs == 0 || ticks < job->min) {
        job->min = ticks;
    }
    if (ticks > job->max) {
        job->max = ticks;
    }
    job->total += ticks;
    job->runs++;
}

/* One run; returns 0 if the job has ended with it. */
static int run_once(struct cf_core *c) {
    const struct cf_platform *p = c->platform;
    struct cf_job *job = &c->job;
    struct cf_call call;

    if (cf_hal_call(p->code_exec + c->image.entry[job->entry], p->data, job->limit_us, &call) != 0) {
        c->fault.fault = call.fault;
        c->fault.entry = job->entry;
        c->fault.run = job->runs;
        c->fault.present = 1;
        c->state = CF_STATE_FAULTED;
        return 0;
    }
    record(c, call.end - call.start);
    if (job->runs == job->count) {
        c->state = CF_STATE_READY;
        return 0;
    }
    if (job->step != 0 || job->step_rest != 0) {
        next_mark(job);
    }
    return 1;
}

uint64_t cf_run_continue(struct cf_core *c) {
    uint32_t slice = c->platform->timer_hz >> SLICE_SHIFT;
    uint64_t now = cf_hal_ticks();
    uint64_t end = now + slice;

    for (; now < end; now = cf_hal_ticks()) {
        if (c->job.mark > now) {
            if (c->job.mark - now > slice) {
                return c->job.mark - slice;
            }
            cf_hal_until(c->job.mark);
        }
        if (!run_once(c)) {
            break;
        }
    }
    return 0;
}

int32_t cf_run_answer(struct cf_core *c, struct cf_answer *a) {
    const struct cf_job *job = &c->job;
    const uint64_t values[] = {
        job->runs, job->total, job->min, job->max, job->late,
        cf_data_length(c) < STICKY_LENGTH ? 0 : cf_load32(c->platform->data),
    };

    for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        cf_key_wide(a, CF_KEY_RUN_RSP_RUNS + i, values[i]);
    }
    if (c->state != CF_STATE_FAULTED) {
        return CF_OK;
    }
    cf_key_fault(a, CF_KEY_RUN_RSP_FAULT, c);
    return c->fault.fault.kind == CF_FAULT_TIME_LIMIT ? CF_ERR_TIME_LIMIT : CF_ERR_FAULT;
}

/* Whether there is a program whose results can be looked at. */
static int has_data(const struct cf_core *c) {
    return c->state == CF_STATE_READY || c->state == CF_STATE_FAULTED;
}

static int within(uint32_t offset, uint32_t n, uint32_t length) {
    return offset <= length && n <= length - offset;
}

int32_t cf_samples(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint32_t first = cf_u32(f, CF_KEY_SAMPLES_REQ_FIRST);
    uint32_t count = cf_u32(f, CF_KEY_SAMPLES_REQ_COUNT);

    if (!has_data(c)) {
        return CF_ERR_BAD_STATE;
    }
    if (!within(first, count, c->samples)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    return cf_key_bytes(a, CF_KEY_SAMPLES_RSP_BYTES, c->platform->samples + first, count * 4);
}

int32_t cf_read(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint32_t offset = cf_u32(f, CF_KEY_READ_REQ_OFFSET);
    uint32_t length = cf_u32(f, CF_KEY_READ_REQ_LENGTH);

    if (!has_data(c)) {
        return CF_ERR_BAD_STATE;
    }
    if (!within(offset, length, cf_data_length(c))) {
        return CF_ERR_OUT_OF_RANGE;
    }
    return cf_key_bytes(a, CF_KEY_READ_RSP_BYTES, c->platform->data + offset, length);
}

int32_t cf_write(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint32_t offset = cf_u32(f, CF_KEY_WRITE_REQ_OFFSET);
    uint32_t length = cf_u32(f, CF_KEY_WRITE_REQ_BYTES);

    (void)a;
    if (c->state != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    if (!within(offset, length, cf_data_length(c))) {
        return CF_ERR_OUT_OF_RANGE;
    }
    memcpy(c->platform->data + offset, f[CF_KEY_WRITE_REQ_BYTES].at, length);
    return CF_OK;
}
