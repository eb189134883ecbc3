/*
 * What platform.c, which is the same for all boards, and the folder of an architecture know of each other. Together
 * they are what hal/hal.h asks for.
 */
#ifndef CF_ARCH_H
#define CF_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "hal/hal.h"

/* --- Of the architecture. */

/* Interrupts off and on. */
void cf_arch_irq_mask(void);
void cf_arch_irq_unmask(void);

/* With interrupts masked: sleeps until one is pending, and returns at once if one is. */
void cf_arch_sleep(void);

/* Calls a program, interrupts masked here and back again. Returns 0 if it came back, else the kind of its fault; times
 * and fault are filled in. */
int cf_arch_call(uintptr_t entry, void *data, struct cf_call *call);

/* Goes to main with variables zeroed, except those in the sections .noinit, and .retained, which nobody ever zeroes. A reset
 * zeroes .noinit unless restarting is one. */
_Noreturn void cf_arch_restart(void);

/* Bits CF_CONDITION_* that the core knows of. */
uint32_t cf_arch_conditions(void);

/* Whether a device answers at the address of a register that may be read at any time. Of AArch64 only, whose chips need it. */
bool cf_arch_answers(uintptr_t address);

/* Cycles of the core, the low 32 bits. Of RISC-V only. */
uint32_t cf_arch_cycles(void);

/* Writes to memory what the caches hold of so many bytes, which start at a multiple of that, and forgets it there: another device reads
 * them, or has written them. Of AArch64 and of 32-bit Arm with an MMU. */
#define CF_ARCH_FLUSHED 64u
void cf_arch_flush(const void *bytes);

/* The architecture also has cf_hal_sync_code. */

/* --- Of platform.c. */

enum cf_platform_event {
    CF_PLATFORM_NOTHING, /* that is of interest to the architecture */
    CF_PLATFORM_ALARM,   /* the time of the alarm has come: a program that was interrupted has used up its own; if there is none, nothing */
    CF_PLATFORM_TICK,    /* a tick is due soon; never while a program runs */
};

/* To be called for an interrupt, with its number (see drivers/irq.h). */
enum cf_platform_event cf_platform_interrupt(int32_t number);

/* The same for all interrupts that are pending, where the interrupt controller must be asked for them. */
enum cf_platform_event cf_platform_interrupts(void);

/* After CF_PLATFORM_TICK, on a level on which interrupts are handled and programs called, and with interrupts still masked: waits
 * for the tick's time and carries it out. Returns with interrupts on. */
void cf_platform_tick(void);

/* After that, with interrupts masked, where the next tick's interrupt comes only once this one's level has been left. */
void cf_platform_ticked(void);

/* The time, with interrupts masked, for code that is not in C. */
cf_moment cf_platform_now(void);

/* What a restart keeps. */
struct cf_life {
    struct cf_fault fault; /* of the runner itself */
    uint32_t starts;       /* of platform.c */
};

extern struct cf_life cf_platform_life;

/* To be called, on a stack that is fit for use, when the runner itself has failed and its fault is described there: restarts. */
_Noreturn void cf_platform_fatal(void);

#endif
