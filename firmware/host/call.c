/*
 * Calling programs: signals become fault records and lead back to the caller, and a timer ends what runs too long.
 *
 * The timer is not set for every call, which would cost a system call each. It is a one-shot that goes off at or before the
 * limit of the running call; the handler then finds out whether that call is late, and if not, sets it for the rest.
 */
#include <linux/signal.h>
#include <linux/time.h>
#include <asm/sigcontext.h>
#include <asm/ucontext.h>

#include "core/codes_gen.h"
#include "core/mem.h"
#include "host.h"
#include "sys.h"

extern volatile uint32_t cf_host_active;
int cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top);
void cf_host_recover(void);
void cf_host_signal(void);
void cf_host_restorer(void);
void cf_host_on_signal(int signo, const siginfo_t *info, struct ucontext *context);

static struct {
    uintptr_t stack_top;
    uint32_t timer_hz;
    uintptr_t entry;       /* of the running call */
    uint64_t start;        /* ticks, of the running call */
    uint64_t limit;        /* ticks after start */
    uint64_t alarm;        /* tick at which the timer goes off, UINT64_MAX: not set */
    volatile int under_way;/* start and limit are those of a call that has not ended */
    struct cf_fault fault;
    uint8_t handler_stack[64u << 10] __attribute__((aligned(64)));
} calls;

/* Signals that programs can raise, and what they mean. */
static const struct {
    uint8_t signo;
    uint8_t kind;
    uint8_t has_address;
} signals[] = {
    {SIGSEGV, CF_FAULT_MEMORY, 1},
    {SIGBUS, CF_FAULT_MEMORY, 1},
    {SIGILL, CF_FAULT_ILLEGAL, 0},
    {SIGFPE, CF_FAULT_ARITHMETIC, 0},
    {SIGTRAP, CF_FAULT_OTHER, 0},
    {SIGSYS, CF_FAULT_OTHER, 0}, /* a system call that the filter refused */
    {SIGALRM, CF_FAULT_TIME_LIMIT, 0},
};

#define RETRY_PER_S 20000u /* 50 us */
#define SIGNALS (sizeof signals / sizeof signals[0])

static void set_alarm(uint64_t now, uint64_t ticks) {
    uint64_t us = cf_host_us(ticks) + 1;
    const struct cf_time timer[2] = {{0, 0}, {(long)(us / 1000000u), (long)(us % 1000000u)}}; /* interval, value */

    calls.alarm = now + ticks;
    (void)cf_sys3(__NR_setitimer, ITIMER_REAL, timer, 0);
}

/* Continues at cf_host_recover once the handler returns. Returns the interrupted pc. */
static uintptr_t redirect(struct ucontext *context) {
#if defined(__x86_64__)
    uintptr_t pc = context->uc_mcontext.rip;
    context->uc_mcontext.rip = (uintptr_t)cf_host_recover;
    context->uc_mcontext.eflags = 0x202; /* a program may have set direction, trap or alignment check */
    uint16_t flat; /* a program may have changed the width of its code, and lost segments: those of this handler are whole */
    __asm__("mov %%cs, %0" : "=r"(flat));
    context->uc_mcontext.cs = flat;
    __asm__("mov %%ss, %0" : "=r"(flat));
    context->uc_mcontext.ss = flat;
#elif defined(__i386__)
    uintptr_t pc = context->uc_mcontext.eip;
    uint16_t flat; /* segments that a program may have lost: those of this handler are whole */

    context->uc_mcontext.eip = (uintptr_t)cf_host_recover;
    context->uc_mcontext.eflags = 0x202;
    __asm__("mov %%cs, %0" : "=r"(flat));
    context->uc_mcontext.cs = flat;
    __asm__("mov %%ss, %0" : "=r"(flat));
    context->uc_mcontext.ds = context->uc_mcontext.es = context->uc_mcontext.ss = flat;
#else
    uintptr_t pc = context->uc_mcontext.pc;
    context->uc_mcontext.pc = (uintptr_t)cf_host_recover;
#endif
    return pc;
}

/* Whether SIGALRM ends the running call. If it comes on the way into or out of a program, it comes again. */
static int is_late(void) {
    uint64_t now = cf_hal_ticks();
    uint64_t rest = calls.timer_hz / RETRY_PER_S;

    calls.alarm = UINT64_MAX;
    if (!calls.under_way) {
        return 0;
    }
    if (now - calls.start < calls.limit) {
        rest = calls.limit - (now - calls.start);
    } else if (cf_host_active) {
        return 1;
    }
    set_alarm(now, rest);
    return 0;
}

void cf_host_on_signal(int signo, const siginfo_t *info, struct ucontext *context) {
    struct cf_fault *fault = &calls.fault;
    uintptr_t bottom = calls.stack_top - CF_HOST_STACK_SIZE;

    if (signo == SIGALRM && !is_late()) {
        return;
    }
    if (!cf_host_active) {
        cf_host_die("fault in the runner itself", 0);
    }
    for (uint32_t i = 0; i < SIGNALS; i++) {
        if (signals[i].signo == signo) {
            fault->kind = signals[i].kind;
            fault->address = signals[i].has_address ? (uintptr_t)info->si_addr : 0;
        }
    }
    if (signo == SIGBUS && info->si_code == BUS_ADRALN) {
        fault->kind = CF_FAULT_ALIGNMENT;
    }
    if (signo == SIGSEGV && fault->address < bottom && bottom - fault->address <= CF_HOST_STACK_GUARD) {
        fault->kind = CF_FAULT_STACK;
    }
    fault->cause = (uint32_t)signo << 16 | ((uint32_t)info->si_code & 0xffffu);
    fault->pc = redirect(context);
    if (fault->pc - (uintptr_t)cf_host_enter < (uintptr_t)cf_host_recover - (uintptr_t)cf_host_enter) {
        fault->pc = calls.entry; /* on the way into the program, which is under way by then: only the time limit comes there */
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

void cf_host_call_init(uintptr_t stack_top, uint32_t timer_hz) {
    const stack_t stack = {.ss_sp = calls.handler_stack, .ss_flags = 0, .ss_size = sizeof calls.handler_stack};
    const struct kernel_action action = {
        cf_host_signal, SA_SIGINFO | SA_ONSTACK | ACTION_RESTORER, cf_host_restorer, UINT64_MAX,
    };

    calls.stack_top = stack_top;
    calls.timer_hz = timer_hz;
    calls.alarm = UINT64_MAX;
    long r = cf_sys2(__NR_sigaltstack, &stack, 0);
    for (uint32_t i = 0; r == 0 && i < SIGNALS; i++) {
        r = cf_sys4(__NR_rt_sigaction, signals[i].signo, &action, 0, sizeof action.mask);
    }
    if (r != 0) {
        cf_host_die("cannot install signal handlers", r);
    }
}

int cf_hal_call(uintptr_t entry, void *data, uint64_t limit, struct cf_call *call) {
    calls.entry = entry;
    calls.limit = limit;
    calls.start = cf_hal_ticks();
    calls.under_way = 1;
    if (calls.alarm == UINT64_MAX || calls.alarm > calls.start + limit) {
        set_alarm(calls.start, limit);
    }
    call->start = cf_hal_ticks();
    int faulted = cf_host_enter(entry, data, calls.stack_top);
    call->end = cf_hal_ticks();
    calls.under_way = 0;
    if (!faulted) {
        return 0;
    }
    call->fault = calls.fault;
    return (int)calls.fault.kind;
}
