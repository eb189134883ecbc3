/* Registers: SiFive FE310-G000 Manual, chapter 9. */
#include "drivers/clock.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

#if !CF_SMALL /* moments have 64 bits */

enum {
    MTIMECMP_LOW = 0x4000,
    MTIMECMP_HIGH = 0x4004,
    MTIME_LOW = 0xbff8,
    MTIME_HIGH = 0xbffc,
};

#define BASE cf_chip.clock_base

static cf_moment now(void) {
    return cf_mmio_read_counter(BASE + MTIME_LOW, BASE + MTIME_HIGH);
}

/* A core that waits in QEMU hears of no byte while the emulated time stands still, as it does under -icount with sleep=off where no
 * alarm is set: so none is further away than this, 0.1 s at 10 MHz, and one too many comes early. */
#define MOST_AHEAD 0x100000u

/* By way of a value that is never reached, so that no mixture of old and new is. */
static void alarm(cf_moment at) {
    const uint64_t most = now() + MOST_AHEAD;
    at = at < most ? at : most;
    cf_mmio_write(BASE + MTIMECMP_HIGH, ~0u);
    cf_mmio_write(BASE + MTIMECMP_LOW, (uint32_t)at);
    cf_mmio_write(BASE + MTIMECMP_HIGH, (uint32_t)(at >> 32));
}

static void start(void) {
    alarm(CF_NEVER);
}

const struct cf_clock_driver cf_clint = {.start = start, .now = now, .alarm = alarm};

#endif
