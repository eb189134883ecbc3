/* What runs on the tick's level. Nothing here waits. */
#include <stddef.h>

#include "list.h"
#include "loop.h"

static uint32_t saturated(uint64_t counts) {
    return counts > UINT32_MAX ? UINT32_MAX : (uint32_t)counts;
}

/* Takes a time into a figure. */
static void note(struct cf_loop *l, uint32_t which, uint64_t counts) {
    struct cf_figure *g = &l->figure[which];
    const uint32_t v = saturated(counts);

    if (v < g->min) {
        g->min = v;
    }
    if (v > g->max) {
        g->max = v;
    }
    g->total += v;
}

/* Goes on to the next due time, without drift. */
static void advance(struct cf_loop *l) {
    l->carry += l->rest;
    l->due += l->period + (l->carry < l->rest);
    l->tick++;
}

/* Carries out the set that is staged, as a whole. Returns why the loop ends. */
static uint32_t apply(struct cf_loop *l, const struct cf_program *p) {
    const uint32_t list = cf_get(&l->staged);

    if (list == 0 || (l->staged_tick != 0 && (int32_t)(l->tick - l->staged_tick) < 0)) {
        return CF_LOOP_END_NONE;
    }
    if (cf_list(&p->space, list, CF_LIST_BEHIND, CF_LIST_CHECK) < 0) {
        return CF_LOOP_END_PLAN;
    }
    (void)cf_list(&p->space, list, CF_LIST_BEHIND, CF_LIST_SCATTER);
    l->count[CF_LOOP_APPLIED]++;
    l->count[CF_LOOP_APPLIED_TICK] = l->tick;
    cf_set(&l->staged, 0);
    return CF_LOOP_END_NONE;
}

/* Calls the tasks whose tick this is. Returns why the loop ends. */
static uint32_t call_tasks(struct cf_loop *l, const struct cf_program *p, uint64_t start) {
    uint64_t left = l->limit;

    for (const struct cf_task *t = p->task; t < p->task + p->count; t++) {
        struct cf_call call;
        if (l->tick % t->divisor != 0) {
            continue;
        }
        call.fault.kind = 0;
        const int kind = cf_hal_loop_call(t->entry, p->space.data, left, &call);
        if (kind != 0) {
            l->failure.fault = call.fault;
            l->failure.entry = t->index;
            l->failure.run = l->tick;
            return kind == CF_FAULT_TIME_LIMIT ? CF_LOOP_END_TIME_LIMIT : CF_LOOP_END_FAULT;
        }
        const uint64_t used = call.end - start;
        left = used < l->limit ? l->limit - used : 1;
    }
    return CF_LOOP_END_NONE;
}

/* Whether nothing has been heard of the host for too long. */
static int silent(struct cf_loop *l, uint64_t now) {
    const uint32_t frames = cf_get(&l->frames);

    if (frames != l->frames_seen) {
        l->frames_seen = frames;
        l->heard = now;
    }
    return l->silence != 0 && now - l->heard > l->silence;
}

uint64_t cf_loop_tick(struct cf_loop *l, uint64_t now) {
    const struct cf_program *p = &l->program[l->current];

    cf_set(&l->sequence, l->sequence + 1);
    cf_fence();
    note(l, CF_LATENESS, now - l->due);
    uint32_t end = apply(l, p);
    if (end == CF_LOOP_END_NONE) {
        end = call_tasks(l, p, now);
    }
    if (p->space.data_length >= 4) {
        l->sticky |= *(const cf_word *)(void *)p->space.data;
    }

    const uint64_t done = cf_hal_ticks();
    uint32_t missed = 0;
    l->count[CF_LOOP_TICKS]++;
    for (advance(l); l->due < done; advance(l)) {
        missed++;
    }
    note(l, CF_EXECUTION, done - now);
    note(l, CF_SLACK, missed != 0 ? 0 : l->due - done);
    l->count[CF_LOOP_MISSED] += missed;
    if (end == CF_LOOP_END_NONE && l->misses != 0 && missed >= l->misses) {
        end = CF_LOOP_END_MISSES;
    }
    if (end == CF_LOOP_END_NONE && silent(l, done)) {
        end = CF_LOOP_END_SILENCE;
    }
    if (end != CF_LOOP_END_NONE && p->safe != 0) {
        (void)cf_list(&p->space, p->safe, CF_LIST_BEHIND, CF_LIST_SCATTER);
    }
    cf_set(&l->count[CF_LOOP_END], end);
    cf_set(&l->sequence, l->sequence + 1);
    return end != CF_LOOP_END_NONE ? UINT64_MAX : l->due;
}
