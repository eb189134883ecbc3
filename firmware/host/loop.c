/*
 * The runner's side of the loop. The child has the ticks; here they are looked after: that the child lives, that its programs end, and
 * that it stops when it is told to. What the child says is a hint of when to look. What counts is that something changes, by the
 * runner's own clock.
 */
#include <linux/resource.h>
#include <linux/signal.h>

#include "core/loop.h"
#include "host.h"
#include "sys.h"

#define LOOK_NS 1000000u      /* telemetry, and the end of the loop, are noticed this soon, or once a tick */
#define DEATH_NS 10000000u    /* a death whose signal came just before a sleep */
#define AGAIN_NS 50000000u    /* a child that does not react is signalled this often */
#define PATIENCE 20u          /* times, and then ended: 1 s, in which this process, too, was given time */
#define STOP_NS 10000000000u  /* a stop waits for the tick under way no longer than this */
#define NS_PER_US 1000u

static struct {
    uint64_t period;   /* as the loop began: the child can change its copy */
    uint64_t limit;
    uint32_t beat;     /* last seen */
    uint32_t sequence; /* likewise */
    uint64_t changed;  /* tick at which either was first seen so */
    uint64_t next;     /* tick at which there is to be a look */
    uint64_t signalled;/* tick of the last signal, 0: none since the last change */
    uint32_t unheard;  /* signals without a reaction */
    struct cf_fault end; /* what has ended the ticks, kind 0: nothing has */
} watch;

uint64_t cf_host_loop_look(uint64_t now) {
    if (!cf_host_calls.looping) {
        return UINT64_MAX;
    }
    return watch.next > now ? watch.next : now;
}

static void look_up(void) {
    if (cf_host_calls.child != 0) {
        (void)cf_sys2(__NR_kill, cf_host_calls.child, CF_HOST_LOOK);
    }
}

static uint64_t sum(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* A realtime process that does not end may leave no processor for this one: the kernel signals it, too. */
static void limit_realtime(uint64_t limit) {
    const uint64_t us = limit / NS_PER_US + 1u;
    const struct rlimit64 most = {us, RLIM64_INFINITY};

    if (cf_host.priority != 0) {
        (void)cf_sys4(__NR_prlimit64, cf_host_calls.child, RLIMIT_RTTIME, &most, 0);
    }
}

void cf_hal_loop_start(struct cf_loop *l) {
    struct cf_host_shared *s = cf_host.shared;
    const uint64_t now = cf_hal_ticks();

    if (cf_host_calls.child == 0) {
        const long r = cf_host_call_begin();
        if (r < 0) {
            cf_host_die("cannot start a process for the program", r);
        }
    }
    cf_host_calls.looping = 1;
    watch.period = l->period;
    watch.limit = l->limit;
    watch.end.kind = 0;
    watch.beat = s->beat;
    watch.sequence = l->sequence;
    watch.changed = l->due > now ? l->due : now;
    watch.next = now + LOOK_NS;
    watch.signalled = 0;
    watch.unheard = 0;
    s->stop = 0;
    limit_realtime(watch.limit);
    cf_host_pins_begin(now, watch.period);
    cf_host_pass(CF_TURN_LOOP, &s->child_sleeps);
}

/* Notes whether something has changed. Returns the tick by which it has to. */
static uint64_t overdue(const struct cf_loop *l, uint64_t now) {
    const volatile struct cf_host_shared *s = cf_host.shared;
    const uint32_t sequence = cf_get(&l->sequence);
    const uint32_t beat = cf_get(&cf_host.shared->beat);
    const uint64_t began = s->began, allowed = s->allowed;

    cf_fence();
    if (beat != watch.beat || sequence != watch.sequence) {
        watch.beat = beat;
        watch.sequence = sequence;
        watch.changed = now;
        watch.signalled = 0;
        watch.unheard = 0;
    }
    if (beat % 2u == 0) {
        return sum(watch.changed, sum(watch.period, watch.limit));
    }
    const uint64_t at = sum(watch.changed, watch.limit);
    if (cf_get(&cf_host.shared->beat) == beat && began <= now && allowed <= watch.limit && began + allowed < at) {
        return began + allowed; /* exactly */
    }
    return at;
}

/* Looks whether programs end in time. Returns the tick of the next look, 0 if the child has to be ended. */
static uint64_t look(const struct cf_loop *l) {
    const uint64_t now = cf_hal_ticks();
    const uint64_t at = overdue(l, now);
    uint64_t next = ((const volatile struct cf_loop *)l)->due;

    if (next < now + LOOK_NS) {
        next = now + LOOK_NS;
    }
    if (now >= at) {
        if (watch.unheard >= PATIENCE) {
            return 0;
        }
        if (now - watch.signalled >= AGAIN_NS) {
            watch.signalled = now;
            watch.unheard++;
            look_up();
        }
        next = now + LOOK_NS;
    } else if (at < next) {
        next = at;
    }
    return next < now + DEATH_NS ? next : now + DEATH_NS;
}

int cf_host_loop_watch(void) {
    const struct cf_loop *l = cf_host.loop;
    const uint32_t turn = cf_get(&cf_host.shared->turn);

    if (!cf_host_calls.looping || watch.end.kind != 0) {
        return (int)watch.end.kind;
    }
    if (cf_host_calls.gone) {
        return cf_host_call_died(&watch.end);
    }
    if (turn == CF_TURN_FAULTED) {
        return cf_host_call_told(&watch.end);
    }
    if (turn != CF_TURN_LOOP) { /* it has ended, and said why, or it says what no child says */
        return cf_get(&l->count[CF_LOOP_END]) != CF_LOOP_END_NONE ? 0 : cf_host_call_died(&watch.end);
    }
    watch.next = look(l);
    return watch.next != 0 ? 0 : cf_host_call_late(&watch.end);
}

int cf_hal_loop_check(struct cf_fault *fault) {
    const int kind = cf_host_loop_watch();

    *fault = watch.end;
    return kind;
}

void cf_hal_loop_stop(void) {
    struct cf_host_shared *s = cf_host.shared;
    const uint64_t most = cf_hal_ticks() + (watch.limit < STOP_NS ? watch.limit : STOP_NS);

    if (!cf_host_calls.looping) {
        return;
    }
    cf_host_calls.looping = 0;
    watch.end.kind = 0;
    cf_set(&s->stop, 1);
    for (uint32_t i = 0; cf_host_calls.child != 0 && !cf_host_calls.gone; i++) {
        look_up();
        const uint32_t turn = cf_host_wait(CF_TURN_LOOP, &s->runner_sleeps, cf_hal_ticks() + LOOK_NS);
        if (turn == CF_TURN_ENDED) {
            break;
        }
        if (turn != CF_TURN_LOOP || (cf_hal_ticks() > most && i >= PATIENCE * (AGAIN_NS / LOOK_NS))) {
            cf_host_call_end();
        }
    }
    if (cf_host_calls.gone) {
        cf_host_call_end();
    }
    cf_host_pins_end(cf_host.loop);
    if (cf_host_calls.child == 0) { /* the program stays loaded */
        (void)cf_host_call_begin();
    }
}
