/* Registers: BCM2835 ARM Peripherals, chapter 12. */
#include "drivers/bcm_timer.h"

#include "drivers/mmio.h"

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

uint64_t cf_bcm_timer_now(uintptr_t base) {
    for (;;) {
        const uint32_t high = cf_mmio_read(base + CHI);
        const uint32_t low = cf_mmio_read(base + CLO);
        if (cf_mmio_read(base + CHI) == high) {
            return (uint64_t)high << 32 | low;
        }
    }
}

void cf_bcm_timer_arm(uintptr_t base, uint64_t at) {
    cf_mmio_write(base + CS, CS_M1);
    for (uint32_t least = LEAST_AHEAD;; least *= 2u) {
        const uint64_t now = cf_bcm_timer_now(base);
        uint64_t ahead = at > now ? at - now : 0;
        ahead = ahead > MOST_AHEAD ? MOST_AHEAD : ahead;
        ahead = ahead < least ? least : ahead;
        cf_mmio_write(base + C1, (uint32_t)(now + ahead));
        if (cf_bcm_timer_now(base) < now + ahead || (cf_mmio_read(base + CS) & CS_M1) != 0) {
            return; /* else the clock was at that value before the comparator */
        }
    }
}

/* A comparator cannot be switched off: at the value that has just passed it matches in more than an hour. */
void cf_bcm_timer_disarm(uintptr_t base) {
    cf_mmio_write(base + C1, cf_mmio_read(base + CLO) - 1u);
    cf_mmio_write(base + CS, CS_M1);
}
