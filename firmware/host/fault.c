/*
 * Signals in the child become fault records. In a RUN the child then waits for its end. In a tick the handler returns, not to the
 * program but to where it was called, with the stack and the modes of that place: cf_host_landing.
 */
#include <linux/signal.h>
#include <linux/time.h>
#include <asm/sigcontext.h>
#if !defined(__arm__)
#include <asm/ucontext.h>
#endif

#include "core/codes_gen.h"
#include "child.h"
#include "host.h"
#include "sys.h"

#if defined(__arm__) /* in no header for user space: as far as it is used here */
struct ucontext {
    unsigned long uc_flags;
    struct ucontext *uc_link;
    stack_t uc_stack;
    struct sigcontext uc_mcontext;
};
#endif

#define NS_PER_US 1000u

extern const char __executable_start[]; /* from the linker: start and end of the runner's text */
extern const char etext[];

void cf_host_on_signal(int signo, const siginfo_t *info, struct ucontext *context);

struct cf_host_child_state cf_host_child_state;

static uint8_t handler_stack[64u << 10] __attribute__((aligned(64)));

void cf_host_set_alarm(uint64_t now, uint64_t ticks) {
    struct cf_time t = cf_host_time(ticks + NS_PER_US);
    const struct cf_time timer[2] = {{0, 0}, {t.s, t.fraction / (long)NS_PER_US}}; /* interval, value */

    cf_host_child_state.alarm = now + ticks;
    (void)cf_sys3(__NR_setitimer, ITIMER_REAL, timer, 0);
}

const struct cf_host_signal cf_host_signals[] = {
    {SIGSEGV, CF_FAULT_MEMORY, 1},
    {SIGBUS, CF_FAULT_MEMORY, 1},
    {SIGILL, CF_FAULT_ILLEGAL, 0},
    {SIGFPE, CF_FAULT_ARITHMETIC, 0},
    {SIGTRAP, CF_FAULT_OTHER, 0},
    {SIGSYS, CF_FAULT_OTHER, 0},         /* a system call that the filter refused */
    {SIGALRM, CF_FAULT_TIME_LIMIT, 0},   /* of the timer that is set for a RUN */
    {CF_HOST_LOOK, CF_FAULT_TIME_LIMIT, 0}, /* from the runner: see whether there is something */
    {SIGXCPU, CF_FAULT_TIME_LIMIT, 0},   /* of a realtime process, which might leave the runner no processor */
    {0, 0, 0},
};

static uintptr_t pc_of(const struct ucontext *context) {
#if defined(__x86_64__)
    return context->uc_mcontext.rip;
#elif defined(__i386__)
    return context->uc_mcontext.eip;
#elif defined(__arm__)
    return context->uc_mcontext.arm_pc;
#else
    return context->uc_mcontext.pc;
#endif
}

/* Has the handler return to the landing. What a program can have changed, and what the landing needs before it can set it right
 * itself, is set here: segments, the width and the order of bytes. */
static void land(struct ucontext *context) {
    const uintptr_t landing = (uintptr_t)cf_host_landing;

#if defined(__x86_64__)
    uint16_t cs, ss;
    __asm__("mov %%cs, %0\n\tmov %%ss, %1" : "=r"(cs), "=r"(ss));
    context->uc_mcontext.cs = cs;
    context->uc_mcontext.ss = ss;
    context->uc_mcontext.eflags = 0x202;
    context->uc_mcontext.rsp = cf_host.stack_top;
    context->uc_mcontext.rip = landing;
#elif defined(__i386__)
    uint16_t cs, ss;
    __asm__("mov %%cs, %0\n\tmov %%ss, %1" : "=r"(cs), "=r"(ss));
    context->uc_mcontext.cs = cs;
    context->uc_mcontext.ss = ss;
    context->uc_mcontext.ds = context->uc_mcontext.es = ss;
    context->uc_mcontext.eflags = 0x202;
    context->uc_mcontext.esp = cf_host.stack_top;
    context->uc_mcontext.eip = landing;
#elif defined(__arm__)
    context->uc_mcontext.arm_cpsr = 0x10; /* user mode, A32, little endian */
    context->uc_mcontext.arm_sp = cf_host.stack_top;
    context->uc_mcontext.arm_pc = landing;
#else
    context->uc_mcontext.pstate = 0; /* EL0, AArch64 */
    context->uc_mcontext.sp = cf_host.stack_top;
    context->uc_mcontext.pc = landing;
#endif
}

/* Whether the signal came outside of the program: in the runner's text, or where that reads the clock. */
static int is_outside(const struct ucontext *context) {
    const uintptr_t pc = pc_of(context);

    return pc - (uintptr_t)__executable_start < (uintptr_t)(etext - __executable_start) || pc - cf_host.vdso < cf_host.vdso_length;
}

/* Whether a signal that tells of the time ends what is under way. A tick that is on its way into the program, or out of it, is not
 * landed: the stack to return to may not be saved yet. The runner looks again. */
static int is_late(int signo, const struct ucontext *context) {
    struct cf_host_child_state *c = &cf_host_child_state;
    const uint64_t now = cf_hal_ticks();

    if (signo == SIGALRM) {
        c->alarm = UINT64_MAX;
    }
    if (c->under_way == CF_UNDER_WAY_NOTHING || (c->under_way == CF_UNDER_WAY_TICK && is_outside(context))) {
        return 0;
    }
    if (now - c->start >= c->limit) {
        return 1;
    }
    if (c->under_way == CF_UNDER_WAY_RUN && c->alarm == UINT64_MAX) {
        cf_host_set_alarm(now, c->limit - (now - c->start));
    }
    return 0;
}

/* What the signal says. entry is that of the program. */
static void describe(struct cf_fault *fault, int signo, const siginfo_t *info, const struct ucontext *context, uintptr_t entry) {
    const uintptr_t bottom = cf_host.stack_top - CF_HOST_STACK_SIZE;

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
    if (fault->kind == CF_FAULT_TIME_LIMIT && is_outside(context)) {
        fault->pc = entry; /* on the way into the program, or out of it */
    }
}

void cf_host_on_signal(int signo, const siginfo_t *info, struct ucontext *context) {
    struct cf_host_shared *s = cf_host.shared;
    struct cf_host_child_state *c = &cf_host_child_state;

    if ((signo == SIGALRM || signo == CF_HOST_LOOK || signo == SIGXCPU) && !is_late(signo, context)) {
        return;
    }
    if (c->under_way == CF_UNDER_WAY_TICK) {
        c->under_way = CF_UNDER_WAY_NOTHING;
        describe(&c->fault, signo, info, context, s->entry);
        land(context);
        return;
    }
    s->call.start = c->start;
    s->call.end = cf_hal_ticks();
    describe(&s->call.fault, signo, info, context, s->entry);
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

#define ACTION_RESTORER 0x04000000ul /* not in every architecture's headers, but known to all these kernels */

void cf_host_handle(int signo, void (*handler)(void), unsigned long flags) {
    const struct kernel_action action = {
        handler, flags | SA_SIGINFO | ACTION_RESTORER, cf_host_restorer, UINT64_MAX, /* without it, 32 bits have another frame */
    };
    long r = cf_sys4(__NR_rt_sigaction, signo, &action, 0, sizeof action.mask);

    if (r != 0) {
        cf_host_die("cannot install signal handlers", r);
    }
}

void cf_host_faults_init(void) {
    const stack_t stack = {.ss_sp = handler_stack, .ss_flags = 0, .ss_size = sizeof handler_stack};
    const long r = cf_sys2(__NR_sigaltstack, &stack, 0);

    if (r != 0) {
        cf_host_die("cannot set up a stack for signal handlers", r);
    }
    for (const struct cf_host_signal *s = cf_host_signals; s->signo != 0; s++) {
        cf_host_handle(s->signo, cf_host_signal, SA_ONSTACK);
    }
}
