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

struct cf_arch {
    uint32_t code;     /* CF_ARCH_* */
    uint32_t features; /* CF_FEAT_* */
    const uintptr_t *services; /* what the runner lends programs, see services/services.h; may be NULL */
    uint32_t service_count;
};

extern const struct cf_arch cf_arch;

/* Interrupts off and on. */
void cf_arch_irq_mask(void);
void cf_arch_irq_unmask(void);

/* With interrupts masked: sleeps until one is pending, and returns at once if one is. */
void cf_arch_sleep(void);

/* Where the core writes code that programs execute at `exec`. */
uint8_t *cf_arch_code_view(uintptr_t exec);

/* Calls a program, interrupts masked here and back again. Returns 0 if it came back, else the kind of its fault; times
 * and fault are filled in. */
int cf_arch_call(uintptr_t entry, void *data, struct cf_call *call);

/* Goes to main with variables zeroed, except those in the sections .noinit, which are zero after a reset, and .retained, which
 * nobody ever zeroes. */
_Noreturn void cf_arch_restart(void);

/* The architecture also has cf_hal_sync_code. */

/* --- Of platform.c. */

/* To be called for an interrupt. Returns true if the program that was interrupted has used up its time. */
bool cf_platform_interrupt(void);

/* To be called, on a stack that is fit for use, when the runner itself has failed: keeps the fault, and restarts. */
_Noreturn void cf_platform_fatal(const struct cf_fault *fault);

#endif
