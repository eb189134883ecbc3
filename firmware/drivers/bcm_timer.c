/* Registers: BCM2835 ARM Peripherals, chapter 12. */
#include "drivers/clock.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

#if !CF_SMALL /* moments have 64 bits */

enum {
    CS = 0x00,
    CLO = 0x04,
    CHI = 0x08,
    C1 = 0x10,
};

#define CS_M1 (1u << 1)

/* A comparator matches at one value of the low word, so that is set this many ticks ahead at least, and not so far that
 * the value could have passed a whole round before. */
#define LEAST_AHEAD 4u
#define MOST_AHEAD 0x80000000u

#define BASE cf_chip.clock_base

static cf_moment now(void) {
    return cf_mmio_read_counter(BASE + CLO, BASE + CHI);
}

/* A comparator cannot be switched off: at the value that has just passed it matches in more than an hour. */
static void disarm(void) {
    cf_mmio_write(BASE + C1, cf_mmio_read(BASE + CLO) - 1u);
    cf_mmio_write(BASE + CS, CS_M1);
}

static void alarm(cf_moment at) {
    if (at == CF_NEVER) {
        disarm();
        return;
    }
    cf_mmio_write(BASE + CS, CS_M1);
    for (uint32_t least = LEAST_AHEAD;; least *= 2u) {
        const uint64_t present = now();
        uint64_t ahead = at > present ? at - present : 0;
        ahead = ahead > MOST_AHEAD ? MOST_AHEAD : ahead;
        ahead = ahead < least ? least : ahead;
        cf_mmio_write(BASE + C1, (uint32_t)(present + ahead));
        if (now() < present + ahead || (cf_mmio_read(BASE + CS) & CS_M1) != 0) {
            return; /* else the clock was at that value before the comparator */
        }
    }
}

const struct cf_clock_driver cf_bcm_timer = {.start = disarm, .now = now, .alarm = alarm};

#endif
