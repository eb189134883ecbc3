/*
 * Ticks of the host: nanoseconds of CLOCK_MONOTONIC, which is also the clock that sleeps end by. So the rate that HELLO tells is exact,
 * and a due time needs no conversion, which would be off by the error of a measured rate, and more so every second.
 *
 * A system call would take longer than many programs. The kernel lends a routine that reads the clock without one (vdso.c); where it
 * does not (emulators, some containers), it is the call.
 */
#include <linux/time.h>

#include "host.h"
#include "sys.h"

#define NS_PER_S 1000000000u
#define SPIN_NS 100000u /* a sleep ends this much early, the rest is spun away */

static cf_host_clock *read_clock; /* NULL: by system call */

void cf_host_clock_init(const uintptr_t *stack) {
    struct cf_time t;

    read_clock = cf_host_vdso_clock(stack);
    if (read_clock != NULL && read_clock(CLOCK_MONOTONIC, &t) != 0) {
        read_clock = NULL;
    }
}

uint64_t cf_hal_ticks(void) {
    struct cf_time t = {0, 0};

    if (read_clock != NULL) {
        (void)read_clock(CLOCK_MONOTONIC, &t);
    } else {
        (void)cf_sys2(__NR_clock_gettime, CLOCK_MONOTONIC, &t);
    }
    return (uint64_t)t.s * NS_PER_S + (uint64_t)t.fraction;
}

uint32_t cf_hal_timer_hz(void) {
    return NS_PER_S;
}

struct cf_time cf_host_time(uint64_t ns) {
    return (struct cf_time){(long)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
}

void cf_host_sleep_until(uint64_t at) {
    const struct cf_time t = cf_host_time(at);

    (void)cf_sys4(__NR_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);
}

void cf_hal_until(uint64_t at) {
    while (cf_hal_ticks() + 2 * SPIN_NS < at) {
        cf_host_sleep_until(at - SPIN_NS);
    }
    while (cf_hal_ticks() < at) {
    }
}
