/*
 * The runner as a Linux program: static, freestanding, in two processes of one thread each.
 *
 * The first one is the runner: it speaks the wire protocol over a stream (stream.h), holds the session, and writes code and data
 * memory. It never maps what a program brings executable. The second one, its child, does nothing but call one program: it shares
 * code, data, live memory and one page for the handshake (struct cf_host_shared) and the loop with the runner, has neither descriptors nor the runner's
 * memory, and its filter leaves it hardly a system call. It lives as long as its program is loaded and has not failed. Whatever
 * it says is taken as the word of the program itself.
 */
#ifndef CF_HOST_H
#define CF_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "core/loop.h"
#include "hal/hal.h"
#include "stream.h"

#define CF_HOST_PAGE 65536u    /* largest page of the systems it runs on */
#define CF_HOST_LOOP_AT 4096u  /* in the shared one: struct cf_loop */

#define CF_HOST_RX_QUEUE 65536u /* received bytes */

#define CF_HOST_ALLOWS 64u

#define CF_HOST_STACK_SIZE (256u << 10)
#define CF_HOST_STACK_GUARD (1u << 20) /* below the stack; what lands here is stack overflow */

/* Whose turn it is: values of cf_host_shared.turn. The runner sets CALL, which the child answers with RETURNED or FAULTED, or LOOP,
 * which it answers with ENDED or FAULTED once the loop has ended; the runner's own handler sets DIED when the child has ended. */
enum cf_host_turn {
    CF_TURN_IDLE,
    CF_TURN_CALL,
    CF_TURN_RETURNED,
    CF_TURN_FAULTED,
    CF_TURN_DIED,
    CF_TURN_LOOP,
    CF_TURN_ENDED,
};

/* Has the child see whether it is to stop, or its program is late. */
#define CF_HOST_LOOK SIGUSR1

/* The page that both processes write. The runner reads each word of an answer once and believes only what is possible. */
struct cf_host_shared {
    uint32_t turn;          /* a futex */
    uint32_t child_sleeps;  /* has to be woken for a CALL */
    uint32_t runner_sleeps; /* has to be woken for an answer */
    uintptr_t entry;        /* of the CALL */
    uint64_t limit;         /* ticks */
    struct cf_call call;    /* the answer */

    /* While the child has the loop. */
    uint32_t stop;    /* by the runner: it is to end between two ticks */
    uint32_t beat;    /* changes whenever a program begins, to an odd number, or has ended */
    uint64_t began;   /* of the former, ticks */
    uint64_t allowed; /* that it may take */

    /* Between the child and the process of the pins (io.c). */
    uint32_t pins_ask;    /* a futex: number of the request << 8 | program << 2 | list, by the child */
    uint32_t pins_done;   /* a futex: the same, when it is carried out */
    uint32_t pins_sleeps; /* has to be woken for a request */
    uint32_t pins_waits;  /* the child has to be woken for an answer */
    uint32_t pins_end;    /* CF_LOOP_END_* */
    struct cf_failure pins_failure;
};

/* What both processes know, in memory.c. Set at start, before there is a child. */
struct cf_host_world {
    struct cf_host_shared *shared;
    struct cf_loop *loop; /* behind it */
    uint8_t *code;        /* written by the runner, executed by the child */
    uint8_t *data;
    uint8_t *live;
    uint32_t code_size;
    uint32_t live_size;
    uintptr_t stack_top;  /* of the program */
    uintptr_t vdso;       /* the kernel's code for all processes, 0: there is none */
    uintptr_t vdso_length;
    uint64_t spin;        /* ticks that a process waits awake for the other one; 0 where they have one processor together */
    uint32_t guard;       /* ticks that a tick is waited for awake; likewise */
    uint32_t processors;  /* that both processes together may use */
    int32_t runner;       /* process id */
    int emulated;         /* under an emulator of user programs, which has no seccomp */
    int descriptors;      /* that are open, from 0 on, where they cannot be closed all at once */

    /* Of a realtime runner (options.c, realtime.c). */
    const char *listens; /* what -listen names, NULL: nothing */
    int remote;          /* other machines are let in */
    const char *store;   /* file of stored programs, NULL: there is none */
    uint32_t priority; /* SCHED_FIFO, 0: as other programs */
    int32_t cpu;       /* on which the child runs, -1: any */
    int lock;          /* memory is there before it is used */

    /* Of what programs may use of the machine (drivers.h). */
    const char *allow[CF_HOST_ALLOWS]; /* as -allow names it */
    uint32_t allows;   /* how many; may be more than there is room for */
    void *pins_page;   /* of the runner and the process of the pins, which the child gives up; NULL: there is none */
    int is_child;      /* this process is */
    const char *root;  /* in front of the names of files: where a test has its own */
};

extern struct cf_host_world cf_host;

/* die.c: ends the process with a message on standard error, for failures of the system. err is a kernel result, 0 for none. */
_Noreturn void cf_host_die(const char *what, long err);

/* die.c: tells something on standard error. err is a kernel result, 0 for none. */
void cf_host_tell(const char *what, long err);

/* memory.c: reserves code, data, live memory, stack and the shared pages. */
void cf_host_map(struct cf_platform *p);

/* memory.c: memory that no child inherits. */
void *cf_host_private(uintptr_t length);

/* memory.c: a page that children have in common with this process. */
void *cf_host_common(void);

/* A time as the system calls without a suffix take it: seconds, and nano- or microseconds. */
struct cf_time {
    long s;
    long fraction;
};

/* A routine that reads a clock of the kernel's without a system call. Returns 0 if it did. */
typedef int cf_host_clock(int clock, struct cf_time *time);

/* clock.c: ticks are nanoseconds. stack is what the kernel gave at start. */
void cf_host_clock_init(const uintptr_t *stack);
struct cf_time cf_host_time(uint64_t ns);
void cf_host_sleep_until(uint64_t at); /* or until a signal */

/* vdso.c: NULL if the kernel lends none. */
cf_host_clock *cf_host_vdso_clock(const uintptr_t *stack);

/* cpu.c: CF_FEAT_* bits of this processor. */
uint32_t cf_host_features(void);

/* cpu.c: processors that this process may use. */
uint32_t cf_host_processors(void);

/* turn.c: the handshake. cf_host_wait returns once turn is not `from` any more, or cf_hal_ticks() has reached deadline. */
void cf_host_pass(uint32_t turn, const uint32_t *other_sleeps);
uint32_t cf_host_wait(uint32_t from, uint32_t *sleeps, uint64_t deadline);
/* Waits until a word is a value, or that tick; *waits is not 0 while it has to be woken. Returns whether it is. */
int cf_host_await(uint32_t *word, uint32_t value, uint32_t *waits, uint64_t until);
void cf_host_wake(uint32_t *word);
void cf_host_pause(void); /* a moment, for the loops that spin */

/* call.c: the runner's side of calls. */
struct cf_host_calls {
    int32_t child;     /* process id, 0: none */
    volatile int gone; /* it has ended by itself */
    int32_t server;    /* of the pins (io.c), 0: none */
    int looping;       /* it has the ticks: from cf_hal_loop_start to cf_hal_loop_stop */
};

extern struct cf_host_calls cf_host_calls;
void cf_host_call_init(void);
long cf_host_call_begin(void); /* starts a child; returns the kernel's result */
void cf_host_call_end(void);   /* ends the child, if there is one */

/* call.c: what became of a child: it has died, tells of a fault, or has to be ended because it is late. There is none afterwards.
 * They return the kind of the fault. */
int cf_host_call_died(struct cf_fault *fault);
int cf_host_call_told(struct cf_fault *fault);
int cf_host_call_late(struct cf_fault *fault);

/* loop.c: the runner's side of the loop. */
int cf_host_loop_watch(void); /* as cf_hal_loop_check, which returns the same until the end of that loop */
uint64_t cf_host_loop_look(uint64_t now); /* tick at which it is to be looked after next, UINT64_MAX: there is none */

/* io.c: the process of the pins, as the runner has it, and as the child does. init is called before there is a child. */
void cf_host_pins_init(void);
void cf_host_pins_begin(uint64_t now, uint64_t period); /* the loop starts */
void cf_host_pins_end(struct cf_loop *l);               /* it has ended: sets safe values unless that is done */

/* ask.c: the child's side of it. ask has a list carried out, as cf_hal_pins. */
void cf_host_pins_child(void);
uint32_t cf_host_pins_ask(struct cf_loop *l, uint32_t list);

/* options.c: reads the arguments, or ends the process. stack is the kernel's: argc, then the arguments. */
void cf_host_options(const uintptr_t *stack);

/* realtime.c: takes the rights that the options ask for, and says which are missing and what that costs; `text`, which HELLO
 * tells, gets it in short. Then what the child does about it, which has the ticks, and the process of the pins beside it, on other processors. */
void cf_host_realtime_init(char *text, uint32_t capacity);
void cf_host_realtime_child(int ticks);

/* store.c: opens the file, or ends the process with the reason. */
const struct cf_store_memory *cf_host_store_init(const char *path);

/* child.c: the child's. Runs on a stack of its own. */
_Noreturn void cf_host_child(void);
extern uint8_t cf_host_child_stack[];
#define CF_HOST_CHILD_STACK (64u << 10)

/* fault.c: signals. */
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
void cf_host_filter_pins(void);

/* enter.S */
_Noreturn void cf_host_switch(void (*run)(void), uintptr_t stack_top);
long cf_host_clone(long flags, uintptr_t stack_top, void (*run)(void)); /* as clone(2); run does not return */
void cf_host_enter(uintptr_t entry, void *data, uintptr_t stack_top);   /* calls a program with cleared registers */
void cf_host_landing(void);                                             /* a place in it: the program has ended */
void cf_host_signal(void);                                              /* in front of cf_host_on_signal */
void cf_host_restorer(void);

#endif
