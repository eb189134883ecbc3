/*
 * Calling programs, as the runner does it: in a child of its own for each program, which is ended once the program has failed,
 * or is replaced. Nothing here trusts that child: it may answer with anything, at any time, or not at all.
 */
#include <asm/errno.h>
#include <linux/signal.h>

#include "core/codes_gen.h"
#include "host.h"
#include "sys.h"

/* The child ends what runs too long by a timer of its own and tells where. One that does not is ended once it has had this much
 * processor time after the limit. On a busy machine that takes longer than by the clock, and a child that never got its turn is
 * not at fault. One that sleeps gets none: it is ended after so many looks, at each of which this process had its turn. */
#define GRACE_NS 500000000u
#define LOOK_NS 50000000u
#define LOOKS 100u

struct cf_host_calls cf_host_calls;

/* Changes the word that the runner waits for, so that no check and sleep can miss it. */
static void on_child(int signo, const siginfo_t *info) {
    (void)signo;
    if (info->si_pid == cf_host_calls.server) { /* under an emulator, which tells */
        return;
    }
    cf_host_calls.gone = 1;
    __atomic_store_n(&cf_host.shared->turn, CF_TURN_DIED, __ATOMIC_SEQ_CST);
}

void cf_host_call_init(void) {
    cf_host_handle(SIGCHLD, (void (*)(void))(uintptr_t)on_child, SA_NOCLDSTOP);
    cf_host_handle(CF_HOST_LOOK, (void (*)(void))SIG_IGN, 0); /* a child gets it before it has handlers of its own, too */
}

/* Ends the child unless it has ended. Returns its wait status. */
static uint32_t reap(void) {
    int32_t status = 0;
    long r;

    (void)cf_sys2(__NR_kill, cf_host_calls.child, SIGKILL);
    do {
        r = cf_sys4(__NR_wait4, cf_host_calls.child, &status, 0, 0);
    } while (r == -EINTR);
    cf_host_calls.child = 0;
    return (uint32_t)status;
}

void cf_host_call_end(void) {
    if (cf_host_calls.child != 0) {
        (void)reap();
    }
}

long cf_host_call_begin(void) {
    struct cf_host_shared *s = cf_host.shared;

    cf_host_calls.gone = 0;
    s->turn = CF_TURN_IDLE;
    s->stop = 0;
    s->beat = 0;
    s->child_sleeps = 0;
    s->runner_sleeps = 0;
    long r = cf_host_clone(SIGCHLD, (uintptr_t)cf_host_child_stack + CF_HOST_CHILD_STACK, cf_host_child);
    if (r > 0) {
        cf_host_calls.child = (int32_t)r;
    }
    return r;
}

/* Code is final now: the child is started while the host still waits for the answer to SEAL. Its view of the code has the same
 * addresses, so what cleans this one cleans that one. Beside a loop, whose child goes on, it is only the code that is cleaned. */
void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    char *start = (char *)cf_host.code + offset;

    __builtin___clear_cache(start, start + len);
    if (cf_host_calls.looping) {
        return;
    }
    cf_host_call_end();
    (void)cf_host_call_begin(); /* else the call tries again, and tells */
}

/* A fault that the child could not tell of. */
static int ended(struct cf_fault *fault, uint32_t kind, uint32_t cause) {
    fault->kind = kind;
    fault->cause = cause;
    fault->pc = 0;
    fault->address = 0;
    return (int)kind;
}

int cf_host_call_died(struct cf_fault *fault) {
    uint32_t status = reap();
    uint32_t signo = status & 0x7fu;

    for (const struct cf_host_signal *s = cf_host_signals; s->signo != 0; s++) {
        if (s->signo == signo) {
            return ended(fault, s->kind, signo << 16);
        }
    }
    return ended(fault, CF_FAULT_OTHER, signo << 16 | status >> 8);
}

int cf_host_call_late(struct cf_fault *fault) {
    cf_host_call_end();
    return ended(fault, CF_FAULT_TIME_LIMIT, SIGKILL << 16);
}

/* What a child says of a fault, if it can be. */
int cf_host_call_told(struct cf_fault *fault) {
    const volatile struct cf_fault *said = &cf_host.shared->call.fault;
    uint32_t kind = said->kind;

    if (kind < CF_FAULT_MEMORY || kind > CF_FAULT_OTHER) {
        kind = CF_FAULT_OTHER;
    }
    fault->kind = kind;
    fault->cause = said->cause;
    fault->pc = said->pc;
    fault->address = said->address;
    cf_host_call_end();
    return (int)kind;
}

#define NS_PER_S 1000000000u
#define CLOCK_OF_ALL_THREADS 2 /* of a process, in the low bits of the number of its clock: the kernel's CPUCLOCK_SCHED */

/* Processor time of the child so far, ns. 0 where the system does not tell. */
static uint64_t processor_time(void) {
    struct cf_time t = {0, 0};

    (void)cf_sys2(__NR_clock_gettime, ~cf_host_calls.child * 8 | CLOCK_OF_ALL_THREADS, &t);
    return (uint64_t)t.s * NS_PER_S + (uint64_t)t.fraction;
}

/* Waits for the answer to a CALL until the limit is over at a tick, and then for the child to react. Returns the turn. */
static uint32_t wait_for(uint64_t over) {
    uint32_t *sleeps = &cf_host.shared->runner_sleeps;
    uint32_t turn = cf_host_wait(CF_TURN_CALL, sleeps, over);

    if (turn == CF_TURN_CALL) {
        const uint64_t before = processor_time();
        for (uint32_t i = 0; i < LOOKS && turn == CF_TURN_CALL && processor_time() - before < GRACE_NS; i++) {
            turn = cf_host_wait(CF_TURN_CALL, sleeps, cf_hal_ticks() + LOOK_NS);
        }
    }
    return turn;
}

int cf_hal_call(uintptr_t entry, void *data, uint64_t limit, struct cf_call *call) {
    struct cf_host_shared *s = cf_host.shared;
    const uint64_t earliest = cf_hal_ticks();
    const uint64_t most = UINT64_MAX - earliest;

    (void)data; /* the child knows */
    call->start = call->end = earliest;
    if (cf_host_calls.child == 0) {
        long r = cf_host_call_begin();
        if (r < 0) { /* no fault of the program's */
            cf_host_die("cannot start a process for the program", r);
        }
    }
    s->entry = entry;
    s->limit = limit;
    cf_host_pass(CF_TURN_CALL, &s->child_sleeps);
    uint32_t turn = CF_TURN_DIED;
    if (!cf_host_calls.gone) { /* since the last run; from here on the turn tells */
        turn = wait_for(earliest + (limit < most ? limit : most));
    }
    const uint64_t latest = cf_hal_ticks();
    const volatile struct cf_call *said = &s->call;
    const uint64_t start = said->start, end = said->end;
    if (earliest <= start && start <= end && end <= latest) {
        call->start = start;
        call->end = end;
    } else {
        call->end = latest;
    }
    switch (turn) {
    case CF_TURN_RETURNED:
        return 0;
    case CF_TURN_FAULTED:
        return cf_host_call_told(&call->fault);
    case CF_TURN_CALL:
        return cf_host_call_late(&call->fault);
    default: /* that it has died, or what no child says */
        return cf_host_call_died(&call->fault);
    }
}
