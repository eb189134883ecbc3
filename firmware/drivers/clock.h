/*
 * The clock of a microcontroller: a counter, widened to 64 bits, with an alarm. A chip names its driver. All functions are
 * called with interrupts masked, or from the clock's interrupt.
 */
#ifndef CF_CLOCK_H
#define CF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CF_CLOCK_NEVER UINT64_MAX

struct cf_clock_driver {
    void (*start)(void);

    uint64_t (*now)(void);

    /* Lets interrupt() return true when now() reaches `at`: soon if it has. CF_CLOCK_NEVER takes that back. */
    void (*alarm)(uint64_t at);

    /* To be called from the clock's interrupt. Returns true, once, if the alarm's time has come. */
    bool (*interrupt)(void);
};

#endif
