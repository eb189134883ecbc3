/*
 * A driver for the second timer of an MPS2 board, which the runner does not use: a down counter whose length a loop sets.
 *
 *   offset   access       what
 *   0        read         counts that are left of this pass
 *   4        read, write  counts of a pass, less 1
 *   8        read         writes so far
 *
 * Registers: Cortex-M System Design Kit, DDI 0479, "APB timer"; its place: Application Note AN386, "APB memory map".
 */
#include "drivers/mmio.h"
#include "platform/driver.h"

#define TIMER 0x40001000u

enum { CTRL = 0x0, VALUE = 0x4, RELOAD = 0x8 };

static uint32_t writes;

static void start(const struct cf_rates *rates) {
    (void)rates; /* the timer counts the processor's clock */
    cf_mmio_write(TIMER + RELOAD, 24999);
    cf_mmio_write(TIMER + CTRL, 1);
}

static uint32_t read(uint32_t offset, uint32_t bytes) {
    (void)bytes; /* lists for this driver access 32 bits */
    switch (offset) {
    case 0:
        return cf_mmio_read(TIMER + VALUE);
    case 4:
        return cf_mmio_read(TIMER + RELOAD);
    case 8:
        return writes;
    default:
        return 0;
    }
}

static void write(uint32_t offset, uint32_t bytes, uint32_t value) {
    (void)bytes;
    if (offset == 4) {
        cf_mmio_write(TIMER + RELOAD, value);
        writes++;
    }
}

const struct cf_driver cf_driver = {.bytes = 12, .start = start, .read = read, .write = write};
