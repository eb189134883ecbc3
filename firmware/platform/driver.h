/*
 * A driver of one's own, in a runner that `copaflash firmware build BOARD --with driver.c` has made: registers that only lists for
 * the pins reach, at the addresses CF_DRIVER_BASE to CF_DRIVER_BASE + bytes - 1. docs/own-drivers.md says what it may do.
 */
#ifndef CF_DRIVER_H
#define CF_DRIVER_H

#include <stdint.h>

#include "platform/chip.h"

#define CF_DRIVER_BASE 0xef000000u

struct cf_driver {
    uint32_t bytes; /* of its registers, a multiple of 4, up to 65536 */

    /* At each start of the runner, when clocks and line are set up, with interrupts masked. NULL: there is nothing to do. */
    void (*start)(const struct cf_rates *rates);

    /* A register, at an offset that is a multiple of the 1, 2 or 4 bytes of the access. Interrupts may be on. */
    uint32_t (*read)(uint32_t offset, uint32_t bytes);
    void (*write)(uint32_t offset, uint32_t bytes, uint32_t value);
};

/* The driver defines it. */
extern const struct cf_driver cf_driver;

#endif
