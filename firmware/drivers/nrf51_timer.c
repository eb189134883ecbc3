/* Registers: nRF51 Series Reference Manual 3.0, chapter 18. */
#include "drivers/clock.h"
#include "drivers/mmio.h"

#define TIMER0 0x40008000u

/* What its four comparators are for. */
enum { ALARM = 0, WRAP = 1, NOW = 2 };

enum {
    START = 0x000,
    CAPTURE_NOW = 0x040 + 4 * NOW,
    COMPARE_ALARM = 0x140 + 4 * ALARM,
    COMPARE_WRAP = 0x140 + 4 * WRAP,
    INTENSET = 0x304,
    BITMODE = 0x508,
    PRESCALER = 0x510,
    CC = 0x540,
};

#define BITMODE_32 3u
#define INT_COMPARE(n) (1u << (16 + (n)))
#define SOONEST 64u /* ticks ahead, which a comparator mostly meets */

static uint32_t wraps;

static uint32_t counter(void) {
    cf_mmio_write(TIMER0 + CAPTURE_NOW, 1);
    return cf_mmio_read(TIMER0 + CC + 4 * NOW);
}

static uint64_t now(void) {
    uint32_t low = counter();
    uint32_t high = wraps;
    if (cf_mmio_read(TIMER0 + COMPARE_WRAP) != 0) { /* the handler has not seen it yet */
        low = counter();
        high++;
    }
    return (uint64_t)high << 32 | low;
}

static void start(void) {
    cf_mmio_write(TIMER0 + BITMODE, BITMODE_32);
    cf_mmio_write(TIMER0 + PRESCALER, 0);
    cf_mmio_write(TIMER0 + CC + 4 * WRAP, 0);
    cf_mmio_write(TIMER0 + START, 1);
    cf_mmio_write(TIMER0 + COMPARE_WRAP, 0);
    cf_mmio_write(TIMER0 + INTENSET, INT_COMPARE(WRAP));
}

/* An alarm further away than this comes too early, and one comes where there is none: 0.13 s, in which a watchdog that cannot be stopped
 * is fed. The comparator knows 32 bits. */
#define MOST_AHEAD 0x200000u

static void alarm(uint64_t at) {
    uint64_t target;
    do { /* again, if it has passed while it was being set */
        const uint64_t time = now();
        target = at > time + SOONEST ? at : time + SOONEST;
        target = target < time + MOST_AHEAD ? target : time + MOST_AHEAD;
        cf_mmio_write(TIMER0 + COMPARE_ALARM, 0);
        cf_mmio_write(TIMER0 + CC + 4 * ALARM, (uint32_t)target);
    } while (now() >= target && cf_mmio_read(TIMER0 + COMPARE_ALARM) == 0);
    cf_mmio_write(TIMER0 + INTENSET, INT_COMPARE(ALARM));
}

static void interrupt(void) {
    if (cf_mmio_read(TIMER0 + COMPARE_WRAP) != 0) {
        cf_mmio_write(TIMER0 + COMPARE_WRAP, 0);
        wraps++;
    }
    cf_mmio_write(TIMER0 + COMPARE_ALARM, 0);
}

const struct cf_clock_driver cf_nrf51_timer = {
    .start = start, .now = now, .alarm = alarm, .interrupt = interrupt, .keeps_time = true,
};
