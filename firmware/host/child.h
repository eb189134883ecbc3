/* The child's own side: one program at a time under way, in one of two ways. */
#ifndef CF_HOST_CHILD_H
#define CF_HOST_CHILD_H

#include <stdint.h>

#include "hal/hal.h"

/* What is under way. A fault ends the process of a RUN, but not that of the loop, which has to go on to its safe values. */
enum cf_host_under_way { CF_UNDER_WAY_NOTHING, CF_UNDER_WAY_RUN, CF_UNDER_WAY_TICK };

struct cf_host_child_state {
    volatile uint32_t under_way; /* CF_UNDER_WAY_* */
    volatile uint64_t start;     /* tick at which it began */
    volatile uint64_t limit;     /* ticks that it may take */
    volatile uint64_t alarm;     /* tick at which the timer goes off, UINT64_MAX: not set */
    struct cf_fault fault;       /* of a program that ended in a tick, kind 0: none */
};

extern struct cf_host_child_state cf_host_child_state; /* fault.c */

/* fault.c: sets the timer. */
void cf_host_set_alarm(uint64_t now, uint64_t ticks);

/* fault.c: handlers of all signals that programs raise, or that end them. */
void cf_host_faults_init(void);

/* tick.c: calls cf_loop_tick when it is due, until the loop has ended or is to stop. */
void cf_host_tick_on(void);

#endif
