/*
 * The runner as a Linux program: static, freestanding, one thread. It speaks the wire protocol over file descriptor 3, runs
 * programs on a stack of their own, and turns what they do wrong into fault records by signals.
 */
#ifndef CF_HOST_H
#define CF_HOST_H

#include <stdint.h>

#include "hal/hal.h"

#define CF_HOST_FD 3 /* the stream to the host, inherited */

#define CF_HOST_PAGE 65536u /* largest page of the systems it runs on */

#define CF_HOST_STACK_SIZE (256u << 10)
#define CF_HOST_STACK_GUARD (1u << 20) /* below the stack; what lands here is stack overflow */

/* Ends the runner with a message on standard error, for failures at start. err is a kernel result, 0 for none. */
_Noreturn void cf_host_die(const char *what, long err);

/* memory.c: reserves everything that the platform hands to the core. Returns the top of the program stack in *stack_top. */
void cf_host_map(struct cf_platform *p, uintptr_t *stack_top);

/* clock.c */
uint32_t cf_host_clock_init(void); /* returns ticks per second */
uint64_t cf_host_us(uint64_t ticks);

/* cpu.c: CF_FEAT_* bits of this processor. */
uint32_t cf_host_features(void);

/* call.c: installs the signal handlers. */
void cf_host_call_init(uintptr_t stack_top, uint32_t timer_hz);

/* filter.c: from here on only the system calls that the runner needs, and only from its own text. */
void cf_host_filter(void);

#endif
