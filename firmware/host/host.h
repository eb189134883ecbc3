/*
 * The runner as a Linux program: static, freestanding, in two processes of one thread each.
 *
 * The first one is the runner: it speaks the wire protocol over file descriptor 3, holds the session, and writes code and data
 * memory. It never maps what a program brings executable. The second one, its child, does nothing but call one program: it shares
 * code, data and one page for the handshake (struct cf_host_shared) with the runner, has neither descriptors nor the runner's
 * memory, and its filter leaves it hardly a system call. It lives as long as its program is loaded and has not failed. Whatever
 * it says is taken as the word of the program itself.
 */
#ifndef CF_HOST_H
#define CF_HOST_H

#include <stdint.h>

#include "hal/hal.h"

#define CF_HOST_FD 3     /* the stream to the host, inherited */
#define CF_HOST_ERRORS 2 /* where the reason for its end is told */

#define CF_HOST_PAGE 65536u /* largest page of the systems it runs on */

#define CF_HOST_CODE_SIZE (64ul << 20)

#define CF_HOST_STACK_SIZE (256u << 10)
#define CF_HOST_STACK_GUARD (1u << 20) /* below the stack; what lands here is stack overflow */

/* Whose turn it is: values of cf_host_shared.turn. The runner sets CALL, the child answers with one of the next two, and the
 * runner's own handler sets DIED when the child has ended. */
enum cf_host_turn { CF_TURN_IDLE, CF_TURN_CALL, CF_TURN_RETURNED, CF_TURN_FAULTED, CF_TURN_DIED };

/* The page that both processes write. The runner reads each word of an answer once and believes only what is possible. */
struct cf_host_shared {
    uint32_t turn;          /* a futex */
    uint32_t child_sleeps;  /* has to be woken for a CALL */
    uint32_t runner_sleeps; /* has to be woken for an answer */
    uintptr_t entry;        /* of the CALL */
    uint64_t limit;         /* ticks */
    struct cf_call call;    /* the answer */
};

/* What both processes know, in memory.c. Set at start, before there is a child. */
struct cf_host_world {
    struct cf_host_shared *shared;
    uint8_t *code;        /* written by the runner, executed by the child */
    uint8_t *data;
    uintptr_t stack_top;  /* of the program */
    uint64_t spin;        /* ticks that a process waits awake for the other one; 0 where they have one processor together */
    uint32_t timer_hz;
    int32_t runner;       /* process id */
    int emulated;         /* under an emulator of user programs, which has no seccomp */
};

extern struct cf_host_world cf_host;

/* die.c: ends the process with a message on standard error, for failures of the system. err is a kernel result, 0 for none. */
_Noreturn void cf_host_die(const char *what, long err);

/* memory.c: reserves code, data, stack and the shared page. */
void cf_host_map(struct cf_platform *p);

/* memory.c: memory that no child inherits. */
void *cf_host_private(uintptr_t length);

/* clock.c */
uint32_t cf_host_clock_init(void); /* returns ticks per second */
uint64_t cf_host_us(uint64_t ticks);

/* cpu.c: CF_FEAT_* bits of this processor. */
uint32_t cf_host_features(void);

/* cpu.c: processors that this process may use. */
uint32_t cf_host_processors(void);

/* turn.c: the handshake. cf_host_wait returns once turn is not `from` any more, or cf_hal_ticks() has reached deadline. */
void cf_host_pass(uint32_t turn, const uint32_t *other_sleeps);
uint32_t cf_host_wait(uint32_t from, uint32_t *sleeps, uint64_t deadline);

/* call.c: the runner's side of calls. */
void cf_host_call_init(void);
void cf_host_call_end(void); /* ends the child, if there is one */

/* child.c: the child's. Runs on a stack of its own. */
_Noreturn void cf_host_child(void);
extern uint8_t cf_host_child_stack[];
#define CF_HOST_CHILD_STACK (64u << 10)

struct cf_host_signal {
    uint8_t signo;
    uint8_t kind;
    uint8_t has_address;
};

/* Signals that programs can raise, and what they mean; ends with signo 0. */
extern const struct cf_host_signal cf_host_signals[];
void cf_host_handle(int signo, void (*handler)(void), unsigned long flags); /* sets a handler, or ends the process */

/* filter.c: from here on only the system calls that the runner, or its child, needs, and only from the runner's own text. */
void cf_host_filter_runner(void);
void cf_host_filter_child(void);

/* enter.S */
_Noreturn void cf_host_switch(void (*run)(void), uintptr_t stack_top);
long cf_host_clone(long flags, uintptr_t stack_top, void (*run)(void)); /* as clone(2); run does not return */
void cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top);   /* calls a program with cleared registers */
void cf_host_signal(void);                                              /* in front of cf_host_on_signal */
void cf_host_restorer(void);

#endif
