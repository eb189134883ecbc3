/*
 * The child: calls one program as often as the runner asks for it, and says how each call ended. Signals become fault records, after
 * which it waits for its end; a timer ends what runs too long.
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
#include <asm/sigcontext.h>
#include <asm/ucontext.h>

#include "core/codes_gen.h"
#include "host.h"
#include "sys.h"

#define DESCRIPTORS 16 /* closed one by one where the system has no call for all */

extern const char __executable_start[]; /* from the linker: start and end of the runner's text */
extern const char etext[];

void cf_host_on_signal(int signo, const siginfo_t *info, const struct ucontext *context);

uint8_t cf_host_child_stack[CF_HOST_CHILD_STACK] __attribute__((aligned(64)));

static struct {
    volatile uint64_t start; /* ticks, of the running call */
    volatile uint64_t alarm; /* tick at which the timer goes off, UINT64_MAX: not set */
    volatile int under_way;  /* start is that of a call that has not ended */
    uint8_t handler_stack[64u << 10] __attribute__((aligned(64)));
} child;

const struct cf_host_signal cf_host_signals[] = {
    {SIGSEGV, CF_FAULT_MEMORY, 1},
    {SIGBUS, CF_FAULT_MEMORY, 1},
    {SIGILL, CF_FAULT_ILLEGAL, 0},
    {SIGFPE, CF_FAULT_ARITHMETIC, 0},
    {SIGTRAP, CF_FAULT_OTHER, 0},
    {SIGSYS, CF_FAULT_OTHER, 0}, /* a system call that the filter refused */
    {SIGALRM, CF_FAULT_TIME_LIMIT, 0},
    {0, 0, 0},
};

static void set_alarm(uint64_t now, uint64_t ticks) {
    uint64_t us = cf_host_us(ticks) + 1;
    const struct cf_time timer[2] = {{0, 0}, {(long)(us / 1000000u), (long)(us % 1000000u)}}; /* interval, value */

    child.alarm = now + ticks;
    (void)cf_sys3(__NR_setitimer, ITIMER_REAL, timer, 0);
}

static uintptr_t pc_of(const struct ucontext *context) {
#if defined(__x86_64__)
    return context->uc_mcontext.rip;
#elif defined(__i386__)
    return context->uc_mcontext.eip;
#else
    return context->uc_mcontext.pc;
#endif
}

/* Whether SIGALRM ends the running call. */
static int is_late(void) {
    uint64_t now = cf_hal_ticks();
    uint64_t limit = cf_host.shared->limit;

    child.alarm = UINT64_MAX;
    if (!child.under_way) {
        return 0;
    }
    if (now - child.start >= limit) {
        return 1;
    }
    set_alarm(now, limit - (now - child.start));
    return 0;
}

void cf_host_on_signal(int signo, const siginfo_t *info, const struct ucontext *context) {
    struct cf_host_shared *s = cf_host.shared;
    struct cf_fault *fault = &s->call.fault;
    uintptr_t bottom = cf_host.stack_top - CF_HOST_STACK_SIZE;

    if (signo == SIGALRM && !is_late()) {
        return;
    }
    s->call.start = child.start;
    s->call.end = cf_hal_ticks();
    fault->kind = CF_FAULT_OTHER;
    fault->address = 0;
    for (const struct cf_host_signal *known = cf_host_signals; known->signo != 0; known++) {
        if (known->signo == signo) {
            fault->kind = known->kind;
            fault->address = known->has_address ? (uintptr_t)info->si_addr : 0;
        }
    }
    if (signo == SIGBUS && info->si_code == BUS_ADRALN) {
        fault->kind = CF_FAULT_ALIGNMENT;
    }
    if (signo == SIGSEGV && fault->address < bottom && bottom - fault->address <= CF_HOST_STACK_GUARD) {
        fault->kind = CF_FAULT_STACK;
    }
    fault->cause = (uint32_t)signo << 16 | ((uint32_t)info->si_code & 0xffffu);
    fault->pc = pc_of(context);
    if (signo == SIGALRM && fault->pc - (uintptr_t)__executable_start < (uintptr_t)(etext - __executable_start)) {
        fault->pc = s->entry; /* on the way into the program, or out of it */
    }
    cf_host_pass(CF_TURN_FAULTED, &s->runner_sleeps);
    for (;;) {
        (void)cf_host_wait(CF_TURN_FAULTED, &s->child_sleeps, UINT64_MAX);
    }
}

/* The kernel's own layout of sigaction. */
struct kernel_action {
    void (*handler)(void);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

#define ACTION_RESTORER 0x04000000ul /* not in every architecture's headers, but known to both kernels */

void cf_host_handle(int signo, void (*handler)(void), unsigned long flags) {
    const struct kernel_action action = {
        handler, flags | SA_SIGINFO | ACTION_RESTORER, cf_host_restorer, UINT64_MAX, /* without it, 32 bits have another frame */
    };
    long r = cf_sys4(__NR_rt_sigaction, signo, &action, 0, sizeof action.mask);

    if (r != 0) {
        cf_host_die("cannot install signal handlers", r);
    }
}

static void limit(int resource) {
    const struct rlimit64 none = {0, 0};

    (void)cf_sys4(__NR_prlimit64, 0, resource, &none, 0);
}

static void close_all(void) {
    if (cf_host.emulated || cf_sys3(__NR_close_range, 0, UINT32_MAX, 0) != 0) { /* those of an emulator are its own */
        for (int fd = 0; fd < (cf_host.emulated ? CF_HOST_FD + 1 : DESCRIPTORS); fd++) {
            (void)cf_sys1(__NR_close, fd);
        }
    }
}

/* Gives away whatever this process does not need. */
static void set_up(void) {
    const stack_t stack = {.ss_sp = child.handler_stack, .ss_flags = 0, .ss_size = sizeof child.handler_stack};

    (void)cf_sys2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (cf_sys0(__NR_getppid) != cf_host.runner) { /* it has ended already */
        cf_host_die("the runner is gone", 0);
    }
    long r = cf_sys3(__NR_mprotect, cf_host.code, CF_HOST_CODE_SIZE, PROT_READ | PROT_EXEC);
    if (r == 0) {
        r = cf_sys2(__NR_sigaltstack, &stack, 0);
    }
    if (r != 0) {
        cf_host_die("cannot set up a process for programs", r);
    }
    for (const struct cf_host_signal *s = cf_host_signals; s->signo != 0; s++) {
        cf_host_handle(s->signo, cf_host_signal, SA_ONSTACK);
    }
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
    const uintptr_t entry = s->entry;
    const uint64_t most = s->limit;

    child.start = cf_hal_ticks();
    child.under_way = 1;
    if (child.alarm == UINT64_MAX || child.alarm > child.start + most) {
        set_alarm(child.start, most);
    }
    uint64_t start = cf_hal_ticks();
    cf_host_enter(entry, cf_host.data, cf_host.stack_top);
    uint64_t end = cf_hal_ticks();
    child.under_way = 0;
    s->call.start = start;
    s->call.end = end;
}

_Noreturn void cf_host_child(void) {
    struct cf_host_shared *s = cf_host.shared;

    child.alarm = UINT64_MAX;
    child.under_way = 0;
    set_up();
    for (;;) {
        uint32_t turn = __atomic_load_n(&s->turn, __ATOMIC_SEQ_CST);
        while (turn != CF_TURN_CALL) {
            turn = cf_host_wait(turn, &s->child_sleeps, UINT64_MAX);
        }
        call(s);
        cf_host_pass(CF_TURN_RETURNED, &s->runner_sleeps);
    }
}
