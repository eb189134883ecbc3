/* Registers: nRF51 Series Reference Manual 3.0, chapter 18. */
#include "drivers/clock.h"
#include "drivers/mmio.h"

#if CF_SMALL /* moments have its 32 bits */

#define TIMER0 0x40008000u

/* What its four comparators are for. */
enum { ALARM = 0, NOW = 2 };

enum {
    START = 0x000,
    CAPTURE_NOW = 0x040 + 4 * NOW,
    COMPARE_ALARM = 0x140 + 4 * ALARM,
    INTENSET = 0x304,
    BITMODE = 0x508,
    PRESCALER = 0x510,
    CC = 0x540,
};

#define BITMODE_32 3u
#define INT_COMPARE(n) (1u << (16 + (n)))
#define SOONEST 64 /* ticks ahead, which a comparator mostly meets */

static cf_moment now(void) {
    cf_mmio_write(TIMER0 + CAPTURE_NOW, 1);
    return cf_mmio_read(TIMER0 + CC + 4 * NOW);
}

static void start(void) {
    cf_mmio_write(TIMER0 + BITMODE, BITMODE_32);
    cf_mmio_write(TIMER0 + PRESCALER, 0);
    cf_mmio_write(TIMER0 + START, 1);
    cf_mmio_write(TIMER0 + INTENSET, INT_COMPARE(ALARM));
}

/* An alarm further away than this comes too early: 0.13 s, in which a watchdog that cannot be stopped is fed. */
#define MOST_AHEAD 0x200000

static void alarm(cf_moment at) {
    cf_moment target;
    do { /* again, if it has passed while it was being set */
        const cf_moment time = now();
        int32_t ahead = (int32_t)(at - time);
        ahead = ahead > SOONEST ? ahead : SOONEST;
        ahead = ahead < MOST_AHEAD ? ahead : MOST_AHEAD;
        target = time + (uint32_t)ahead;
        cf_mmio_write(TIMER0 + COMPARE_ALARM, 0);
        cf_mmio_write(TIMER0 + CC + 4 * ALARM, target);
    } while (!cf_before(now(), target) && cf_mmio_read(TIMER0 + COMPARE_ALARM) == 0);
}

static void interrupt(void) {
    cf_mmio_write(TIMER0 + COMPARE_ALARM, 0);
}

const struct cf_clock_driver cf_nrf51_timer = {.start = start, .now = now, .alarm = alarm, .interrupt = interrupt};

#endif
