/* What runs on the tick's level. Nothing here waits. */
#include <stddef.h>

#include "list.h"
#include "loop.h"
#include "pins.h"

/* A word of data; that it is there has been checked. */
static uint32_t word_at(const struct cf_space *s, uint32_t offset) {
    return *(const cf_word *)(const void *)(s->data + offset);
}

/* Takes a time into its figure and its histogram: buckets of one count below 64, then 32 from one power of two to the next. */
__attribute__((noinline)) static void note(struct cf_loop *l, uint32_t which, cf_number counts) {
    struct cf_figure *g = &l->figure[which];
    uint32_t v = counts > UINT32_MAX ? UINT32_MAX : (uint32_t)counts; /* never that many where they have 32 bits */

    if (v < g->min || l->count[CF_LOOP_TICKS] == 0) {
        g->min = v;
    }
    if (v > g->max) {
        g->max = v;
    }
    g->total += v;
    if (l->histograms != 0) {
        uint32_t bucket = 0;
        for (; v >= 64; v >>= 1) {
            bucket += 32;
        }
        bucket += v;
        if (bucket >= l->buckets) {
            bucket = l->buckets - 1u;
        }
        cf_word *counter = (cf_word *)(void *)(l->program->space.live + (uint32_t)l->histograms) + which * l->buckets + bucket;
        *counter += *counter != UINT32_MAX;
    }
}

/* Carries out the set that is staged, as a whole. Returns why the loop ends. */
static uint32_t apply(struct cf_loop *l, const struct cf_program *p) {
    const uint32_t list = cf_get(&l->staged);

    if (list == 0 || (l->staged_tick != 0 && (int32_t)(l->tick - l->staged_tick) < 0)) {
        return CF_LOOP_END_NONE;
    }
    if (cf_list_apply(&p->space, list) < 0) {
        return CF_LOOP_END_PLAN;
    }
    l->count[CF_LOOP_APPLIED]++;
    l->count[CF_LOOP_APPLIED_TICK] = l->tick;
    cf_set(&l->staged, 0);
    return CF_LOOP_END_NONE;
}

/* Calls the tasks whose tick this is, between inputs and outputs. Returns why the loop ends. */
static uint32_t call_tasks(struct cf_loop *l, const struct cf_program *p) {
    cf_number left = l->limit;
    uint32_t used = 0;

    const uint32_t end = cf_hal_pins(l, CF_PINS_BEFORE);
    if (end != CF_LOOP_END_NONE) {
        return end;
    }
    for (const struct cf_task *t = p->task; t < p->task + p->count; t++) {
        struct cf_call call;
        if (l->tick % t->divisor != 0) {
            continue;
        }
        call.fault.kind = 0;
        const int kind = cf_hal_loop_call(t->entry, p->space.data, left, &call);
        if (kind != 0) {
            l->failure = (struct cf_failure){call.fault, t->index, l->tick};
            return kind == CF_FAULT_TIME_LIMIT ? CF_LOOP_END_TIME_LIMIT : CF_LOOP_END_FAULT;
        }
        used = (uint32_t)call.end - l->time;
        left = used < l->limit ? l->limit - used : 1;
    }
    return cf_hal_pins(l, CF_PINS_AFTER);
}

/* Writes a record. Returns less than 0 if its list is not what it was. */
__attribute__((noinline)) static int32_t put(const struct cf_loop *l, struct cf_records *r, const struct cf_space *s) {
    const uint32_t place = r->place + r->next * r->record;
    const uint32_t length = r->record - 8u;
    cf_word *head = (cf_word *)(void *)(s->live + place); /* in front of what the list is checked for */

    if (cf_list(s, r->list, place + 8u, length | CF_LIST_GATHER) != (int32_t)length) {
        return -1;
    }
    head[0] = l->tick;
    head[1] = l->time;
    r->next++;
    if (r->next == r->slots) {
        r->next = 0;
    }
    return 0;
}

static int32_t stream(struct cf_loop *l, const struct cf_program *p) {
    l->telemetry.list = cf_get(&p->telemetry);
    if (l->telemetry.list == 0 || l->tick % l->every != 0) {
        return 0;
    }
    if (l->written - cf_get(&l->taken) >= l->telemetry.slots) {
        l->count[CF_LOOP_DROPS]++;
        return 0;
    }
    const int32_t status = put(l, &l->telemetry, &p->space);
    cf_set(&l->written, l->written + 1u + (uint32_t)status);
    return status;
}

#if CF_HAS_CAPTURE
#define NAN_ABOVE 0xff000000u /* bits of a NaN without its sign, shifted to the left, are above those of an infinity */

/* Of the numbers of triggers. */
#define LESS 1u
_Static_assert((CF_TRIGGER_BELOW & CF_TRIGGER_FALLING & ~(CF_TRIGGER_ABOVE | CF_TRIGGER_RISING) & LESS) != 0
                   && CF_TRIGGER_RISING < CF_TRIGGER_FALLING && CF_TRIGGER_BELOW < CF_TRIGGER_RISING,
               "triggers by less are odd, and those by an edge come last");

/* Whether the trigger's variable is beyond the threshold, which is an integer in the order of the values and turned round if less is more. */
static uint32_t is_beyond(const struct cf_capture *c, uint32_t bits) {
    if (c->type == CF_TRIGGER_TYPE_F32) {
        if (bits << 1 > NAN_ABOVE) {
            return 0;
        }
        if ((int32_t)bits < 0) {
            bits = 0x80000000u - bits; /* both zeros are 0 */
        }
    }
    if ((c->trigger & LESS) != 0) {
        bits = ~bits;
    }
    return (int32_t)bits > (int32_t)c->threshold;
}

static int32_t capture(struct cf_loop *l, const struct cf_program *p) {
    struct cf_capture *c = &l->capture;
    uint32_t *state = &l->count[CF_LOOP_CAPTURE_STATE];

    if (cf_get(state) - CF_CAPTURE_ARMED > CF_CAPTURE_TRIGGERED - CF_CAPTURE_ARMED) {
        return 0;
    }
    if (put(l, &c->ring, &p->space) < 0) {
        return -1;
    }
    l->count[CF_LOOP_CAPTURE_NEXT] = c->ring.next;
    if (*state == CF_CAPTURE_TRIGGERED) {
        c->left--;
    } else {
        const uint32_t before = c->hit;
        c->hit = is_beyond(c, word_at(&p->space, (uint32_t)c->offset));
        if (c->trigger != CF_TRIGGER_NOW
            && (c->trigger == CF_TRIGGER_END || !c->hit || (c->trigger >= CF_TRIGGER_RISING && before))) {
            return 0;
        }
        *state = CF_CAPTURE_TRIGGERED;
        l->count[CF_LOOP_CAPTURE_TICK] = l->tick;
    }
    if (c->left == 0) {
        *state = CF_CAPTURE_DONE;
    }
    return 0;
}

/* The loop ends after this tick. */
static void end_capture(struct cf_loop *l, uint32_t tick) {
    if (l->count[CF_LOOP_CAPTURE_STATE] == CF_CAPTURE_ARMED && l->capture.trigger == CF_TRIGGER_END) {
        l->count[CF_LOOP_CAPTURE_TICK] = tick;
        l->count[CF_LOOP_CAPTURE_STATE] = CF_CAPTURE_DONE;
    }
}
#else
static int32_t capture(struct cf_loop *l, const struct cf_program *p) {
    (void)l, (void)p;
    return 0;
}

static void end_capture(struct cf_loop *l, uint32_t tick) {
    (void)l, (void)tick;
}
#endif

#if CF_HAS_SWAP
static void go_over(struct cf_loop *l, uint32_t state) {
    l->current ^= 1u;
    l->count[CF_LOOP_SWAP_TICK] = l->tick;
    if (l->count[CF_LOOP_CAPTURE_STATE] != CF_CAPTURE_DONE) {
        l->count[CF_LOOP_CAPTURE_STATE] = CF_CAPTURE_OFF;
    }
    cf_set(&l->count[CF_LOOP_SWAP_STATE], state);
}

/* Goes over to the program that waits. Where what it is to take over cannot be copied it goes on with the old one. */
static void swap(struct cf_loop *l) {
    const struct cf_swap *w = &l->swap;
    const struct cf_program *p = l->program;

    if (cf_get(&l->count[CF_LOOP_SWAP_STATE]) != CF_SWAP_PENDING) {
        return;
    }
    go_over(l, w->trial != 0 ? CF_SWAP_TRIAL : CF_SWAP_KEPT);
    if (w->gather != 0) {
        const int32_t n = cf_list(&p[l->current ^ 1u].space, (uint32_t)w->gather, (uint32_t)w->scratch, CF_LIST_ANY | CF_LIST_GATHER);
        if (n < 0 || cf_list(&p[l->current].space, (uint32_t)w->scatter, (uint32_t)w->scratch, (uint32_t)n | CF_LIST_SCATTER) != n) {
            go_over(l, CF_SWAP_BACK);
        }
    }
}

/* After a tick, and with the number of the next one: returns why the loop ends, which it does not if there is an old program. */
static uint32_t try(struct cf_loop *l, uint32_t *missed, uint32_t end) {
    if (l->count[CF_LOOP_SWAP_STATE] != CF_SWAP_TRIAL) {
        return end;
    }
    if (*missed != 0 || end != CF_LOOP_END_NONE) {
        *missed = 0;
        cf_set(&l->staged, 0); /* it was for the new one */
        go_over(l, CF_SWAP_BACK);
        return CF_LOOP_END_NONE;
    }
    l->swap.trial--;
    if (l->swap.trial == 0) {
        cf_set(&l->count[CF_LOOP_SWAP_STATE], CF_SWAP_KEPT);
    }
    return end;
}
#else
static void swap(struct cf_loop *l) {
    (void)l;
}

static uint32_t try(struct cf_loop *l, uint32_t *missed, uint32_t end) {
    (void)l, (void)missed;
    return end;
}
#endif

/* Whether nothing has been heard of the host for too long. */
static int silent(struct cf_loop *l, cf_moment now) {
#if !CF_SMALL
    const uint32_t frames = cf_get(&l->frames);

    if (frames != l->frames_seen) {
        l->frames_seen = frames;
        l->heard = now;
    }
#endif
    return l->silence != 0 && now - l->heard > l->silence;
}

void cf_loop_tick(struct cf_loop *l, cf_moment now) {
    const uint32_t tick = l->tick;

    cf_set(&l->sequence, l->sequence + 1u);
    cf_fence();
    note(l, CF_LATENESS, now - l->due);
    l->time = (uint32_t)now;
    swap(l);
    const struct cf_program *p = &l->program[l->current];
    uint32_t end = apply(l, p);
    if (end == CF_LOOP_END_NONE) {
        end = call_tasks(l, p);
    }
    if (p->space.data_length >= 4) {
        l->count[CF_LOOP_STICKY] |= word_at(&p->space, 0);
    }
    if ((stream(l, p) | capture(l, p)) < 0 && end == CF_LOOP_END_NONE) {
        end = CF_LOOP_END_PLAN;
    }

    const cf_moment done = cf_hal_ticks();
    cf_difference left = (cf_difference)(l->due - done); /* until the next tick is due */
    uint32_t due_times = 0; /* that are over: of this tick, and missed ones */
    note(l, CF_EXECUTION, done - now);
    do { /* without drift */
        l->carry += (uint32_t)l->rest;
        left += (cf_difference)(l->period + (l->carry < l->rest));
        due_times++;
    } while (left < 0);
    l->due = done + (cf_number)left;
    l->tick += due_times;
    note(l, CF_SLACK, due_times > 1 ? 0 : (cf_number)left);
    due_times--;
    l->count[CF_LOOP_TICKS]++;
    l->count[CF_LOOP_MISSED] += due_times;
    end = try(l, &due_times, end);
    if (end == CF_LOOP_END_NONE && due_times > l->misses) {
        end = CF_LOOP_END_MISSES;
    }
    if (end == CF_LOOP_END_NONE && silent(l, done)) {
        end = CF_LOOP_END_SILENCE;
    }
    if (end != CF_LOOP_END_NONE) {
        end_capture(l, tick);
        p = &l->program[l->current];
        if (p->safe != 0) {
            (void)cf_list_apply(&p->space, p->safe);
        }
        (void)cf_hal_pins(l, CF_PINS_SAFE);
        cf_set(&l->count[CF_LOOP_END], end);
    }
    cf_set(&l->sequence, l->sequence + 1u);
}
