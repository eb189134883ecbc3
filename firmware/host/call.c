/*
 * Calling programs, as the runner does it: in a child of its own for each program, which is ended once the program has failed,
 * or is replaced. Nothing here trusts that child: it may answer with anything, at any time, or not at all.
 */
#include <asm/errno.h>
#include <linux/signal.h>

#include "core/codes_gen.h"
#include "host.h"
#include "sys.h"

/* The child ends what runs too long by a timer of its own and tells where. One that does not is ended this much later. */
#define GRACE_MS 500u

static struct {
    int32_t child;     /* process id, 0: none */
    volatile int gone; /* it has ended by itself */
} calls;

/* Changes the word that the runner waits for, so that no check and sleep can miss it. */
static void on_child(int signo) {
    (void)signo;
    calls.gone = 1;
    __atomic_store_n(&cf_host.shared->turn, CF_TURN_DIED, __ATOMIC_SEQ_CST);
}

void cf_host_call_init(void) {
    cf_host_handle(SIGCHLD, (void (*)(void))(uintptr_t)on_child, SA_NOCLDSTOP);
}

/* Ends the child unless it has ended. Returns its wait status. */
static uint32_t reap(void) {
    int32_t status = 0;
    long r;

    (void)cf_sys2(__NR_kill, calls.child, SIGKILL);
    do {
        r = cf_sys4(__NR_wait4, calls.child, &status, 0, 0);
    } while (r == -EINTR);
    calls.child = 0;
    return (uint32_t)status;
}

void cf_host_call_end(void) {
    if (calls.child != 0) {
        (void)reap();
    }
}

void cf_hal_unload(void) {
    cf_host_call_end();
}

/* Returns the kernel's result. */
static long start_child(void) {
    struct cf_host_shared *s = cf_host.shared;

    calls.gone = 0;
    s->turn = CF_TURN_IDLE;
    s->child_sleeps = 0;
    s->runner_sleeps = 0;
    long r = cf_host_clone(SIGCHLD, (uintptr_t)cf_host_child_stack + CF_HOST_CHILD_STACK, cf_host_child);
    if (r > 0) {
        calls.child = (int32_t)r;
    }
    return r;
}

/* Code is final now: the child is started while the host still waits for the answer to SEAL. Its view of the code has the same
 * addresses, so what cleans this one cleans that one. */
void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    char *start = (char *)cf_host.code + offset;

    __builtin___clear_cache(start, start + len);
    cf_host_call_end();
    (void)start_child(); /* else the call tries again, and tells */
}

/* A fault that the child could not tell of. */
static int ended(struct cf_call *call, uint32_t kind, uint32_t cause) {
    call->fault.kind = kind;
    call->fault.cause = cause;
    call->fault.pc = 0;
    call->fault.address = 0;
    return (int)kind;
}

static int died(struct cf_call *call) {
    uint32_t status = reap();
    uint32_t signo = status & 0x7fu;

    for (const struct cf_host_signal *s = cf_host_signals; s->signo != 0; s++) {
        if (s->signo == signo) {
            return ended(call, s->kind, signo << 16);
        }
    }
    return ended(call, CF_FAULT_OTHER, signo << 16 | status >> 8);
}

/* What a child says of a fault, if it can be. */
static int told(struct cf_call *call, const volatile struct cf_fault *said) {
    uint32_t kind = said->kind;

    if (kind < CF_FAULT_MEMORY || kind > CF_FAULT_OTHER) {
        kind = CF_FAULT_OTHER;
    }
    call->fault.kind = kind;
    call->fault.cause = said->cause;
    call->fault.pc = said->pc;
    call->fault.address = said->address;
    cf_host_call_end();
    return (int)kind;
}

int cf_hal_call(uintptr_t entry, void *data, uint64_t limit, struct cf_call *call) {
    struct cf_host_shared *s = cf_host.shared;
    const uint64_t earliest = cf_hal_ticks();
    const uint64_t grace = cf_host.timer_hz / 1000u * GRACE_MS;
    const uint64_t most = UINT64_MAX - earliest - grace;

    (void)data; /* the child knows */
    call->start = call->end = earliest;
    if (calls.child == 0) {
        long r = start_child();
        if (r < 0) { /* no fault of the program's */
            cf_host_die("cannot start a process for the program", r);
        }
    }
    s->entry = entry;
    s->limit = limit;
    cf_host_pass(CF_TURN_CALL, &s->child_sleeps);
    uint32_t turn = CF_TURN_DIED;
    if (!calls.gone) { /* since the last run; from here on the turn tells */
        turn = cf_host_wait(CF_TURN_CALL, &s->runner_sleeps, earliest + (limit < most ? limit : most) + grace);
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
        return told(call, &said->fault);
    case CF_TURN_CALL:
        cf_host_call_end();
        return ended(call, CF_FAULT_TIME_LIMIT, SIGKILL << 16);
    default: /* that it has died, or what no child says */
        return died(call);
    }
}
