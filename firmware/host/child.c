/*
 * The child: calls one program as often as the runner asks for it, and says how each call ended, or calls it every tick (tick.c).
 * A timer ends a RUN that takes too long.
 *
 * All of it lies in memory that the program can write. What counts on it is only the program's own result.
 *
 * The timer is not set for every call, which would cost a system call each. It is a one-shot that goes off at or before the
 * limit of the running call; the handler then finds out whether that call is late, and if not, sets it for the rest.
 */
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/signal.h>
#include <linux/time.h>

#include "child.h"
#include "host.h"
#include "sys.h"

#define DESCRIPTORS 16 /* closed one by one where the system has no call for all */

uint8_t cf_host_child_stack[CF_HOST_CHILD_STACK] __attribute__((aligned(64)));

static void limit(int resource) {
    const struct rlimit64 none = {0, 0};

    (void)cf_sys4(__NR_prlimit64, 0, resource, &none, 0);
}

static void close_all(void) {
    if (cf_host.emulated || cf_sys3(__NR_close_range, 0, UINT32_MAX, 0) != 0) { /* those of an emulator are its own */
        for (int fd = 0; fd < (cf_host.emulated || cf_host.descriptors > DESCRIPTORS ? cf_host.descriptors : DESCRIPTORS); fd++) {
            (void)cf_sys1(__NR_close, fd);
        }
    }
}

/* Gives away whatever this process does not need. */
static void set_up(void) {
    (void)cf_sys2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (cf_sys0(__NR_getppid) != cf_host.runner) { /* it has ended already */
        cf_host_die("the runner is gone", 0);
    }
    long r = cf_sys3(__NR_mprotect, cf_host.code, cf_host.code_size, PROT_READ | PROT_EXEC);
    if (r != 0) {
        cf_host_die("cannot set up a process for programs", r);
    }
    cf_host_faults_init();
    cf_host_realtime_child(1);
    cf_host_handle(SIGCHLD, (void (*)(void))0, 0);
    close_all();
    if (!cf_host.emulated) {
        limit(RLIMIT_NOFILE);
        limit(RLIMIT_NPROC);
        limit(RLIMIT_FSIZE);
        limit(RLIMIT_MEMLOCK);
        limit(RLIMIT_MSGQUEUE);
        cf_host_filter_child();
    }
}

static void call(struct cf_host_shared *s) {
    struct cf_host_child_state *c = &cf_host_child_state;
    const uintptr_t entry = s->entry;

    c->limit = s->limit;
    c->start = cf_hal_ticks();
    c->under_way = CF_UNDER_WAY_RUN;
    if (c->alarm == UINT64_MAX || c->alarm > c->start + c->limit) {
        cf_host_set_alarm(c->start, c->limit);
    }
    uint64_t start = cf_hal_ticks();
    cf_host_enter(entry, cf_host.data, cf_host.stack_top);
    uint64_t end = cf_hal_ticks();
    c->under_way = CF_UNDER_WAY_NOTHING;
    s->call.start = start;
    s->call.end = end;
}

_Noreturn void cf_host_child(void) {
    struct cf_host_shared *s = cf_host.shared;

    cf_host_child_state.alarm = UINT64_MAX;
    cf_host_child_state.under_way = CF_UNDER_WAY_NOTHING;
    cf_host_pins_child();
    set_up();
    for (;;) {
        uint32_t turn = __atomic_load_n(&s->turn, __ATOMIC_SEQ_CST);
        while (turn != CF_TURN_CALL && turn != CF_TURN_LOOP) {
            turn = cf_host_wait(turn, &s->child_sleeps, UINT64_MAX);
        }
        if (turn == CF_TURN_CALL) {
            call(s);
            cf_host_pass(CF_TURN_RETURNED, &s->runner_sleeps);
        } else {
            cf_host_tick_on();
            cf_host_pass(CF_TURN_ENDED, &s->runner_sleeps);
        }
    }
}
