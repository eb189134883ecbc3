/* The loop as the link has it: START, STOP, LIVE. */
#include <stddef.h>

#include "list.h"
#include "loop.h"
#include "mem.h"
#include "request.h"

/* Times beyond are no times: sums of a few of them fit 64 bits. */
#define TIME_HIGH_BITS 8

static int is_time(const struct cf_field *f) {
    return f->high >> TIME_HIGH_BITS == 0;
}

static uint64_t wide(const struct cf_field *f) {
    return (uint64_t)f->high << 32 | f->value;
}

static struct cf_space space_of(const struct cf_core *c) {
    const struct cf_platform *p = c->platform;

    return (struct cf_space){p->live, p->data, p->capacity[CF_CAPACITY_LIVE], cf_data_length(c)};
}

/* Reads the tasks of a program: pairs of an entry and its divisor. */
static int32_t read_tasks(const struct cf_core *c, struct cf_program *program, const struct cf_field *tasks, struct cf_answer *a) {
    const struct cf_image *m = &c->image;
    struct cf_reader r = {tasks->at, tasks->at + c->platform->capacity[CF_CAPACITY_PACKET]}; /* checked as a part of its packet */
    const uint32_t count = tasks->value / 2u;

    if (tasks->value % 2u != 0 || count - 1u >= CF_MAX_ENTRIES) {
        return CF_ERR_BAD_LENGTH;
    }
    program->count = count;
    for (struct cf_task *t = program->task; t < program->task + count; t++) {
        struct cf_field entry;
        struct cf_field divisor;
        if (cf_cbor_head(&r, &entry) != 0 || cf_cbor_head(&r, &divisor) != 0 || entry.type != CF_CBOR_UINT || divisor.type != CF_CBOR_UINT) {
            return CF_ERR_BAD_MESSAGE;
        }
        if (entry.value >= m->announced[CF_IMAGE_ENTRIES]) {
            a->detail = entry.value;
            return CF_ERR_OUT_OF_RANGE;
        }
        if (divisor.value == 0) {
            return CF_ERR_BAD_LENGTH;
        }
        *t = (struct cf_task){c->platform->code_exec + m->announced[CF_IMAGE_ENTRY + entry.value], divisor.value, entry.value};
    }
    return CF_OK;
}

/* Whether there is a list of values there, or none is asked for. */
static int is_list(const struct cf_space *s, uint32_t list) {
    return list == 0 || cf_list(s, list, CF_LIST_BEHIND, CF_LIST_CHECK) >= 0;
}

int32_t cf_start(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->platform->loop;
    struct cf_program *p = &l->program[0];

    if (!cf_optional(f, CF_KEY_START_REQ_WATCHDOG)) {
        return CF_ERR_BAD_MESSAGE;
    }
    if (c->state != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    const uint32_t watchdog = cf_u32(f, CF_KEY_START_REQ_WATCHDOG);
    if (l == NULL || (watchdog != 0 && (c->platform->loop_features & CF_LOOP_WATCHDOG) == 0)) {
        return CF_ERR_UNSUPPORTED;
    }
    const uint64_t period = wide(&f[CF_KEY_START_REQ_PERIOD]);
    if (period == 0 || !is_time(&f[CF_KEY_START_REQ_PERIOD]) || !is_time(&f[CF_KEY_START_REQ_LIMIT])) {
        return CF_ERR_BAD_LENGTH;
    }
    c->looped = 0;
    memset(l, 0, sizeof *l);
    p->space = space_of(c);
    int32_t status = read_tasks(c, p, &f[CF_KEY_START_REQ_TASKS], a);
    if (status != CF_OK) {
        return status;
    }
    p->safe = cf_u32(f, CF_KEY_START_REQ_SAFE);
    if (!is_list(&p->space, p->safe)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    c->safe = p->safe;
    l->period = period;
    l->rest = cf_u32(f, CF_KEY_START_REQ_REST);
    l->limit = wide(&f[CF_KEY_START_REQ_LIMIT]);
    if (l->limit == 0) {
        l->limit = 4 * period;
    }
    l->misses = cf_u32(f, CF_KEY_START_REQ_MISSES);
    l->silence = wide(&f[CF_KEY_START_REQ_SILENCE]);
    l->watchdog = watchdog;
    for (uint32_t i = 0; i < CF_FIGURES; i++) {
        l->figure[i].min = UINT32_MAX;
    }
    if (p->space.data_length >= 4) {
        *(cf_word *)(void *)p->space.data = 0; /* the sticky flags */
    }
    c->state = CF_STATE_TICKING;
    c->looped = 1;
    c->start = cf_hal_ticks() + (cf_hal_timer_hz() >> 9);
    l->due = c->start;
    l->heard = c->start;
    cf_hal_loop_start(l);
    cf_key_wide(a, c->start);
    return CF_OK;
}

/* The loop has ended, and no tick will come. */
static void end(struct cf_core *c, uint32_t why) {
    struct cf_loop *l = c->platform->loop;

    cf_hal_loop_stop();
    if (l->count[CF_LOOP_END] == CF_LOOP_END_NONE) { /* then the tick has not done this */
        const struct cf_space s = space_of(c);
        if (c->safe != 0) {
            (void)cf_list(&s, c->safe, CF_LIST_BEHIND, CF_LIST_SCATTER);
        }
        l->count[CF_LOOP_END] = why;
    }
    c->failure = l->failure;
    c->state = c->failure.fault.kind != 0 ? CF_STATE_FAULTED : CF_STATE_READY;
    l->sequence = 0; /* a tick that came to its end, or did not */
}

void cf_check_loop(struct cf_core *c) {
    struct cf_loop *l = c->platform->loop;

    if (c->state != CF_STATE_TICKING) {
        return;
    }
    struct cf_fault fault;
    const int kind = cf_hal_loop_check(&fault);
    if (kind != 0) {
        l->failure = (struct cf_failure){fault, 0, l->tick};
        end(c, kind == CF_FAULT_TIME_LIMIT ? CF_LOOP_END_TIME_LIMIT : CF_LOOP_END_FAULT);
    } else if (cf_get(&l->count[CF_LOOP_END]) != CF_LOOP_END_NONE) {
        end(c, CF_LOOP_END_NONE);
    }
}

/* Of what the ticks change, all of one moment between two of them: writes an answer until none came in between, for as long as a host
 * may wait. */
static int32_t steady(struct cf_core *c, const struct cf_field *f, struct cf_answer *a, cf_request *write) {
    const struct cf_loop *l = c->platform->loop;
    const struct cf_answer start = *a;
    const uint64_t most = cf_hal_ticks() + (cf_hal_timer_hz() >> 10);

    do {
        const uint32_t before = cf_get(&l->sequence);
        if (before % 2u == 0) {
            const int32_t status = write(c, f, a);
            cf_fence();
            if (cf_get(&l->sequence) == before) {
                return status;
            }
            *a = start;
        }
    } while (cf_hal_ticks() < most);
    return CF_ERR_BUSY;
}

_Static_assert(CF_KEY_LIVE_RSP_COUNTS == 2 && CF_KEY_LIVE_RSP_START == 3 && CF_KEY_LIVE_RSP_FIGURES == 4 && CF_KEY_LIVE_RSP_STICKY == 5
                   && CF_KEY_LIVE_RSP_FAULT == 6 && CF_KEY_STOP_RSP_FAULT == 6 && sizeof(struct cf_figure[CF_FIGURES]) == 48,
               "written in this order");

static int32_t write_live(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const struct cf_loop *l = c->platform->loop;

    (void)f;
    cf_key_array(a, l->count, CF_LOOP_COUNTS);
    cf_key_wide(a, c->start);
    cf_key_bytes(a, l->figure, sizeof l->figure);
    cf_key_uint(a, l->sticky);
    if (l->failure.fault.kind != 0) {
        cf_key_fault(a, c, &l->failure);
    }
    return CF_OK;
}

int32_t cf_live(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    cf_check_loop(c);
    return c->looped ? steady(c, f, a, write_live) : CF_ERR_BAD_STATE;
}

/* One that has ended by itself meanwhile tells so. */
int32_t cf_stop(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    cf_check_loop(c);
    if (c->state == CF_STATE_TICKING) {
        end(c, CF_LOOP_END_STOPPED);
    }
    return cf_live(c, f, a);
}
