/* Running a loaded image and its data: RUN, SAMPLES, READ, WRITE. */
#include "bytes.h"
#include "mem.h"
#include "request.h"

/* The sticky arithmetic flags are the first word of the data block. */
#define STICKY_LENGTH 4u

struct tally {
    uint32_t runs;
    uint32_t late;
    uint64_t total;
    uint64_t min;
    uint64_t max;
};

/* Marks in time that are period_us apart, without drift: whole ticks, and the rest in millionths of a tick. */
struct marks {
    uint64_t at;
    uint64_t step;
    uint32_t rest;
    uint32_t carry;
};

static void marks_start(struct marks *m, uint32_t period_us, uint32_t timer_hz) {
    uint64_t product = (uint64_t)period_us * timer_hz;

    m->at = cf_hal_ticks();
    m->step = product / 1000000u;
    m->rest = (uint32_t)(product % 1000000u);
    m->carry = 0;
}

/* Waits for the next mark. Returns 1 if it had passed already; the marks go on from now then, so that a program which is
 * too slow once does not have to catch up. */
static uint32_t marks_wait(struct marks *m) {
    uint64_t now = cf_hal_ticks();

    m->at += m->step;
    m->carry += m->rest;
    if (m->carry >= 1000000u) {
        m->carry -= 1000000u;
        m->at++;
    }
    if (now > m->at) {
        m->at = now;
        return 1;
    }
    cf_hal_until(m->at);
    return 0;
}

static void record(struct cf_core *c, struct tally *t, uint64_t ticks) {
    if (t->runs < c->platform->sample_capacity) {
        c->platform->samples[t->runs] = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
        c->samples = t->runs + 1;
    }
    if (t->runs == 0 || ticks < t->min) {
        t->min = ticks;
    }
    if (ticks > t->max) {
        t->max = ticks;
    }
    t->total += ticks;
    t->runs++;
}

static void put_tally(struct cf_core *c, struct cf_answer *a, const struct tally *t) {
    const uint64_t values[] = {
        t->runs, t->total, t->min, t->max, t->late,
        cf_data_length(c) < STICKY_LENGTH ? 0 : cf_load32(c->platform->data),
    };

    for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        cf_key_uint(a, CF_KEY_RUN_RSP_RUNS + i, values[i]);
    }
}

int32_t cf_run(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const struct cf_platform *p = c->platform;
    uint32_t entry = (uint32_t)f[CF_KEY_RUN_REQ_ENTRY].value;
    uint32_t count = (uint32_t)f[CF_KEY_RUN_REQ_COUNT].value;
    uint32_t period = (uint32_t)f[CF_KEY_RUN_REQ_PERIOD].value;
    uint32_t limit = (uint32_t)f[CF_KEY_RUN_REQ_LIMIT].value;
    struct tally t = {0};
    struct marks marks;
    struct cf_call call;
    int kind = 0;

    if (c->state != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    if (entry >= c->image.entry_count) {
        return CF_ERR_OUT_OF_RANGE;
    }
    if (count == 0) {
        return CF_ERR_BAD_LENGTH;
    }
    if (cf_data_length(c) >= STICKY_LENGTH) {
        cf_store32(p->data, 0);
    }
    c->state = CF_STATE_RUNNING;
    c->samples = 0;
    marks_start(&marks, period, p->timer_hz);
    while (t.runs < count) {
        if (period != 0 && t.runs > 0) {
            t.late += marks_wait(&marks);
        }
        kind = cf_hal_call(p->code_exec + c->image.entry[entry], p->data, limit != 0 ? limit : CF_CORE_LIMIT_US, &call);
        if (kind != 0) {
            break;
        }
        record(c, &t, call.end - call.start);
    }
    put_tally(c, a, &t);
    if (kind == 0) {
        c->state = CF_STATE_READY;
        return CF_OK;
    }
    c->state = CF_STATE_FAULTED;
    c->fault.fault = call.fault;
    c->fault.entry = entry;
    c->fault.run = t.runs;
    c->fault.present = 1;
    cf_key_fault(a, CF_KEY_RUN_RSP_FAULT, c);
    return kind == CF_FAULT_TIME_LIMIT ? CF_ERR_TIME_LIMIT : CF_ERR_FAULT;
}

/* Whether there is a program whose results can be looked at. */
static int has_data(const struct cf_core *c) {
    return c->state == CF_STATE_READY || c->state == CF_STATE_FAULTED;
}

static int within(uint64_t offset, uint64_t n, uint32_t length) {
    return offset <= length && n <= length - offset;
}

int32_t cf_samples(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint64_t first = f[CF_KEY_SAMPLES_REQ_FIRST].value;
    uint64_t count = f[CF_KEY_SAMPLES_REQ_COUNT].value;

    if (!has_data(c)) {
        return CF_ERR_BAD_STATE;
    }
    if (!within(first, count, c->samples)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    return cf_key_bytes(a, CF_KEY_SAMPLES_RSP_BYTES, c->platform->samples + first, (uint32_t)count * 4);
}

int32_t cf_read(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint64_t offset = f[CF_KEY_READ_REQ_OFFSET].value;
    uint64_t length = f[CF_KEY_READ_REQ_LENGTH].value;

    if (!has_data(c)) {
        return CF_ERR_BAD_STATE;
    }
    if (!within(offset, length, cf_data_length(c))) {
        return CF_ERR_OUT_OF_RANGE;
    }
    return cf_key_bytes(a, CF_KEY_READ_RSP_BYTES, c->platform->data + offset, (uint32_t)length);
}

int32_t cf_write(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint64_t offset = f[CF_KEY_WRITE_REQ_OFFSET].value;
    uint64_t length = f[CF_KEY_WRITE_REQ_BYTES].value;

    (void)a;
    if (c->state != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    if (!within(offset, length, cf_data_length(c))) {
        return CF_ERR_OUT_OF_RANGE;
    }
    memcpy(c->platform->data + offset, f[CF_KEY_WRITE_REQ_BYTES].at, (size_t)length);
    return CF_OK;
}
