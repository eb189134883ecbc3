/* Registers: SiFive FE310-G000 Manual, chapter 9. */
#include "drivers/clock.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

enum {
    MTIMECMP_LOW = 0x4000,
    MTIMECMP_HIGH = 0x4004,
    MTIME_LOW = 0xbff8,
    MTIME_HIGH = 0xbffc,
};

#define BASE cf_chip.clock_base

static uint64_t now(void) {
    return cf_mmio_read_counter(BASE + MTIME_LOW, BASE + MTIME_HIGH);
}

/* By way of a value that is never reached, so that no mixture of old and new is. CF_CLOCK_NEVER is such a value, too. */
static void alarm(uint64_t at) {
    cf_mmio_write(BASE + MTIMECMP_HIGH, ~0u);
    cf_mmio_write(BASE + MTIMECMP_LOW, (uint32_t)at);
    cf_mmio_write(BASE + MTIMECMP_HIGH, (uint32_t)(at >> 32));
}

static void start(void) {
    alarm(CF_CLOCK_NEVER);
}

const struct cf_clock_driver cf_clint = {.start = start, .now = now, .alarm = alarm, .keeps_time = true};
