/* The core's own timer as clock: 24 bits at the processor's rate. */
#ifndef CF_SYSTICK_H
#define CF_SYSTICK_H

#include "drivers/clock.h"

extern const struct cf_clock_driver cf_systick;

#endif
