/* The loop as the link has it: START, STOP, LIVE, APPLY. */
#include <stddef.h>

#include "list.h"
#include "loop.h"
#include "mem.h"
#include "pins.h"
#include "request.h"

/* Clears the histograms at a place. Returns how many buckets each has, 0 if they are not there. */
static uint32_t clear_histograms(const struct cf_space *s, uint32_t place) {
    const volatile cf_word *head = cf_live_at(s, place, 4);
    const uint32_t buckets = head == NULL ? 0 : *head;
    const uint32_t length = buckets * (4u * CF_FIGURES);

    if (buckets >= s->live_length || cf_live_at(s, place + 4u, length) == NULL) {
        return 0;
    }
    memset(s->live + place + 4u, 0, length);
    return buckets;
}

#define LONGEST ((UINT32_C(1) << CF_LOOP_TIME_BITS % 32) - 1u) /* counts, of times that have 32 bits */

_Static_assert(CF_KEY_START_REQ_PERIOD == 1 && CF_KEY_START_REQ_REST == 2 && CF_KEY_START_REQ_LIMIT == 3 && CF_KEY_START_REQ_TASKS == 4
                   && CF_KEY_START_REQ_MISSES == 5 && CF_KEY_START_REQ_SILENCE == 6 && CF_KEY_START_REQ_SAFE == 7
                   && CF_KEY_START_REQ_HISTOGRAMS == 8,
               "copied in this order");

int32_t cf_start(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->loop;
    struct cf_image *m = &c->image[0];
    const uint32_t watchdog = cf_u32(f, CF_KEY_START_REQ_WATCHDOG);

    if (c->state != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    const int32_t counts = !cf_has_loop(c) ? -CF_ERR_UNSUPPORTED : watchdog != 0 ? cf_hal_watchdog(watchdog) : 0;
    if (counts < 0) {
        return -counts;
    }
    cf_hal_pins_prepare();
    c->looped = 0;
    c->stream.on = 0;
    c->job.runs.ended = 0; /* their samples make room for telemetry */
    memset(l, 0, sizeof *l);
    const uint32_t above = cf_take(&l->period, f, CF_KEY_START_REQ_PERIOD, 8);
    if (l->period == 0 || ((l->period | l->limit | l->silence) >> CF_LOOP_TIME_BITS | above) != 0) {
        return CF_ERR_BAD_LENGTH;
    }
    int32_t status = cf_set_program(c, m, 0, f, (uint32_t)l->safe, a);
    if (status != CF_OK) {
        return status;
    }
    if (l->histograms != 0) {
        l->buckets = clear_histograms(&m->space, (uint32_t)l->histograms);
        if (l->buckets == 0) {
            return CF_ERR_OUT_OF_RANGE;
        }
        l->histograms += 4u;
    }
    if (l->limit == 0) {
        l->limit = 4u * l->period;
        if (CF_SMALL && l->limit > LONGEST) {
            l->limit = LONGEST;
        }
    }
    l->misses--; /* 0 is for ever */
    l->watchdog = (uint32_t)counts;
    if (cf_hal_pins(l, CF_PINS_START) != CF_LOOP_END_NONE) {
        a->detail = l->failure.entry;
#if defined(CF_HAL_PINS)
        c->failure = l->failure; /* STATUS tells what a driver said */
#endif
        return CF_ERR_FAULT;
    }
    if (m->space.data_length >= 4) {
        *(cf_word *)(void *)m->space.data = 0; /* the sticky flags */
    }
    c->failure.fault.kind = 0;
    c->program = 0;
    c->looped = 1;
    c->state = CF_STATE_TICKING;
    cf_load_into(c, 1);
    c->beside = CF_STATE_IDLE;
    l->due = cf_hal_ticks() + (cf_hal_timer_hz() >> CF_LOOP_START_SHIFT);
    l->heard = l->due;
    l->start = l->due;
    cf_key_bytes(a, &l->start, sizeof l->start);
    cf_hal_loop_start(l);
    return CF_OK;
}

/* The loop has ended: no tick is to come any more. What a tick that came to its end has done is left to do where none did. */
static void end(struct cf_core *c, uint32_t why) {
    struct cf_loop *l = c->loop;
    const struct cf_image *m = cf_current(c);

    cf_hal_loop_stop();
    if (l->count[CF_LOOP_END] == CF_LOOP_END_NONE) {
        l->count[CF_LOOP_END] = why;
        if (m->safe != 0) {
            (void)cf_list_apply(&m->space, m->safe);
        }
        (void)cf_hal_pins(l, CF_PINS_SAFE);
    }
    why = l->count[CF_LOOP_END];
    l->sequence = 0; /* whether or not it was in the middle of a tick */
    c->failure = l->failure;
    c->state = why == CF_LOOP_END_FAULT || why == CF_LOOP_END_TIME_LIMIT ? CF_STATE_FAULTED : CF_STATE_READY;
    cf_load_into(c, 0);
}

void cf_follow_loop(struct cf_core *c, uint32_t why) {
    struct cf_image *beside = &c->image[CF_PROGRAMS - 1];
    struct cf_loop *l = c->loop;
    struct cf_fault fault;

    if (c->state != CF_STATE_TICKING) {
        return;
    }
    const int kind = cf_hal_loop_check(&fault);
    if (kind != 0) {
        l->failure = (struct cf_failure){fault, 0, l->tick};
        why = kind == CF_FAULT_TIME_LIMIT ? CF_LOOP_END_TIME_LIMIT : CF_LOOP_END_FAULT;
    }
    if (why != CF_LOOP_END_NONE || cf_get(&l->count[CF_LOOP_END]) != CF_LOOP_END_NONE) {
        end(c, why);
    } else if (!CF_HAS_SWAP || cf_get(&l->count[CF_LOOP_SWAP_STATE]) < CF_SWAP_KEPT) {
        return;
    }
    if (!CF_HAS_SWAP || !c->swapping) {
        return;
    }
    if (cf_current(c) == beside) {
        c->image[0] = *beside;
        c->program ^= 1u;
        if (l->program[c->program].telemetry == 0) {
            c->stream.batch = 1; /* the rest of the old one's */
        }
    }
    c->swapping = 0;
    c->beside = CF_STATE_IDLE;
}

_Static_assert(CF_KEY_LIVE_RSP_REPORT == 2 && CF_KEY_LIVE_RSP_FAULT == 3 && CF_KEY_STOP_RSP_FAULT == 3, "written in this order");

static int32_t write_live(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const struct cf_loop *l = c->loop;

    (void)f;
    cf_key_bytes(a, l->report, sizeof l->report);
    cf_key_fault(a, c, &l->failure);
    return CF_OK;
}

int32_t cf_live(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    return c->looped ? cf_steady(c, f, a, write_live) : CF_ERR_BAD_STATE;
}

/* One that has ended by itself meanwhile tells so. */
int32_t cf_stop(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    cf_follow_loop(c, CF_LOOP_END_STOPPED);
    return cf_live(c, f, a);
}

int32_t cf_apply(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->loop;
    const uint32_t list = cf_u32(f, CF_KEY_APPLY_REQ_LIST);

    if (cf_get(&l->staged) != 0 || cf_get(&l->count[CF_LOOP_SWAP_STATE]) == CF_SWAP_PENDING) {
        return CF_ERR_BUSY;
    }
    if (cf_list(&cf_current(c)->space, list, CF_LIST_BEHIND, CF_LIST_ANY) < 0) {
        return CF_ERR_OUT_OF_RANGE;
    }
    cf_set(&l->staged_tick, cf_u32(f, CF_KEY_APPLY_REQ_TICK));
    cf_key_uint(a, cf_get(&l->tick));
    cf_set(&l->staged, list);
    return CF_OK;
}
