/*
 * The child's ticks. It sleeps to absolute times of the clock that ticks are counted by, so no error adds up, and where there is
 * another processor for the rest of the system, it spins for the last microseconds, which are those that a wake-up takes.
 *
 * Nothing in a tick is a system call: the runner looks at what is shared by itself (loop.c).
 */
#include "child.h"
#include "core/loop.h"
#include "host.h"

/* Pages that a tick would otherwise be the first to touch. */
static void touch(uint8_t *from, uint64_t length) {
    for (uint64_t at = 0; at < length; at += 4096) {
        (void)__atomic_fetch_or(from + at, 0, __ATOMIC_RELAXED); /* writes what is there */
    }
}

#define TOUCHED (1u << 20) /* bytes at most, of each memory: some 200 us; with -lock all of it is there anyhow */

static void prepare(const struct cf_loop *l) {
    const uint32_t data = l->program[0].space.data_length;
    const uint32_t live = cf_host.live_size;

    touch(cf_host.data, data < TOUCHED ? data : TOUCHED);
    touch(cf_host.live, live < TOUCHED ? live : TOUCHED);
    touch((uint8_t *)cf_host.stack_top - CF_HOST_STACK_SIZE, CF_HOST_STACK_SIZE);
}

void cf_host_tick_on(void) {
    struct cf_loop *l = cf_host.loop;
    const uint32_t *stop = &cf_host.shared->stop;

    prepare(l);
    while (cf_loop_goes_on(l) && cf_get(stop) == 0) {
        const uint64_t now = cf_hal_ticks(), due = l->due;
        if (now >= due) {
            cf_loop_tick(l, now);
        } else if (due - now > cf_host.guard) {
            cf_host_sleep_until(due - cf_host.guard); /* or until the runner has something to look at */
        } else {
            cf_host_pause();
        }
    }
}

int cf_hal_loop_call(uintptr_t entry, void *data, uint64_t limit, struct cf_call *call) {
    struct cf_host_shared *s = cf_host.shared;
    struct cf_host_child_state *c = &cf_host_child_state;

    s->entry = entry;
    c->fault.kind = 0;
    c->limit = limit;
    c->start = call->start = cf_hal_ticks();
    s->began = call->start;
    s->allowed = limit;
    cf_set(&s->beat, s->beat | 1u);
    c->under_way = CF_UNDER_WAY_TICK;
    cf_host_enter(entry, data, cf_host.stack_top);
    c->under_way = CF_UNDER_WAY_NOTHING;
    call->end = cf_hal_ticks();
    cf_set(&s->beat, (s->beat | 1u) + 1u);
    if (c->fault.kind != 0) {
        call->fault = c->fault;
        return (int)c->fault.kind;
    }
    return 0;
}

uint32_t cf_hal_guard(void) {
    return cf_host.guard;
}
