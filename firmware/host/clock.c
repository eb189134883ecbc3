/*
 * Ticks of the host: the processor's own counter, since a system call would take longer than many programs. On x86 this is the
 * time-stamp counter where it runs at a constant rate, which is measured at start; else CLOCK_MONOTONIC.
 */
#include <linux/time.h>

#include "host.h"
#include "sys.h"

#define NS_PER_S 1000000000u
#define SPIN_US 100u /* a sleep ends this much early, the rest is spun away */

static struct {
    uint32_t hz;
    uint8_t counter; /* the processor's counter is in use */
} clock;

#if defined(__x86_64__) || defined(__i386__)

static uint64_t monotonic_ns(void) {
    struct cf_time t;

    (void)cf_sys2(__NR_clock_gettime, CLOCK_MONOTONIC, &t);
    return (uint64_t)t.s * NS_PER_S + (uint64_t)t.fraction;
}

static uint64_t counter(void) {
    uint32_t low, high;

    /* Fences keep what is measured inside, and what is not outside. */
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static int counter_is_constant(void) {
    uint32_t a = 0x80000000u, b, c = 0, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (a < 0x80000007u) {
        return 0;
    }
    a = 0x80000007u;
    c = 0;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (d >> 8 & 1u) != 0;
}

struct pair {
    uint64_t ns;
    uint64_t ticks;
};

/* Counter and clock at the same moment: the one of several tries that took least. */
static struct pair sample(void) {
    struct pair best = {0, 0};
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        uint64_t before = counter();
        uint64_t ns = monotonic_ns();
        uint64_t after = counter();
        if (after - before < least) {
            least = after - before;
            best.ns = ns;
            best.ticks = before + (after - before) / 2;
        }
    }
    return best;
}

uint32_t cf_host_clock_init(void) {
    clock.hz = NS_PER_S;
    if (!counter_is_constant()) {
        return clock.hz;
    }
    struct pair from = sample();
    while (monotonic_ns() - from.ns < 1000000u) {
    }
    struct pair to = sample();
    uint64_t hz = (to.ticks - from.ticks) * NS_PER_S / (to.ns - from.ns);
    if (hz > 1000000u && hz <= UINT32_MAX) {
        clock.hz = (uint32_t)hz;
        clock.counter = 1;
    }
    return clock.hz;
}

uint64_t cf_hal_ticks(void) {
    return clock.counter ? counter() : monotonic_ns();
}

#else

uint32_t cf_host_clock_init(void) {
    uint64_t hz;

    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    clock.hz = (uint32_t)hz;
    clock.counter = 1;
    return clock.hz;
}

uint64_t cf_hal_ticks(void) {
    uint64_t t;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(t) : : "memory");
    return t;
}

#endif

uint64_t cf_host_us(uint64_t ticks) {
    return ticks / clock.hz * 1000000u + ticks % clock.hz * 1000000u / clock.hz;
}

void cf_hal_until(uint64_t at) {
    for (uint64_t now = cf_hal_ticks(); now < at; now = cf_hal_ticks()) {
        uint64_t us = cf_host_us(at - now);
        if (us > 2 * SPIN_US) {
            us -= SPIN_US;
            const struct cf_time t = {(long)(us / 1000000u), (long)(us % 1000000u * 1000u)};
            (void)cf_sys2(__NR_nanosleep, &t, 0);
        }
    }
}
