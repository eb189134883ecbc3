/*
 * SysTick counts down and has no comparator: its interrupt comes at the end of a pass of at most 2^24 ticks, and the next pass is as
 * long as the reload register says then. So the end of a pass is chosen while the one before runs, which costs no time: an alarm
 * at or beyond the end of the present pass keeps it exactly. A nearer one needs a new pass at once, and that loses the few ticks
 * between reading the counter and clearing it. Passes are as long as they can be, but in a loop they are as long as its period: they
 * end when its ticks are due, or a little before. Time never goes backwards.
 */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/devices.h"
#include "arch/cortex-m/registers.h"

#define LONGEST 0x1000000u
#define SHORTEST 64u   /* ticks: enough to leave the handler that starts it */
#define LEAST 512u     /* ticks in a pass that an alarm asks for: what its beginning raises is handled within it */
#define LEAST_PACE 2048u /* ticks in others: all that comes before a tick of the loop, with interrupts masked, fits one */

static struct {
    cf_moment end; /* at which the pass ends */
    uint32_t next; /* ticks in the one that follows: what the reload register says */
    uint32_t pace; /* ticks in one that no alarm asks for, and at most */
} clock;

/* QEMU's model gains a little time with each write, so none is made for nothing. */
static void follow(uint32_t pass) {
    if (pass != clock.next) {
        clock.next = pass;
        cf_mmio_write(SYST_RVR, pass - 1u);
    }
}

/* In a pass the counter reads pass - 1, ..., 1, 0; at the 0, which lasts a tick, the pass has ended, which is pending until the
 * handler has seen it. An emulator may be late with that, and read 0 meanwhile. */
__attribute__((always_inline)) static inline bool ended(void) {
    return (cf_mmio_read(ICSR) & ICSR_PENDSTSET) != 0;
}

static cf_moment now(void) {
    uint32_t left = cf_mmio_read(SYST_CVR);
    cf_moment end = clock.end;
    if (ended()) {
        left = cf_mmio_read(SYST_CVR);
        if (left != 0) {
            end += clock.next;
        }
    }
    return end - left;
}

/* The counter takes the length of a pass over when it leaves 0. */
static void wait_begun(void) {
    while (cf_mmio_read(SYST_CVR) == 0) {
    }
}

/* Begins one that ends at `at`, which is LONGEST ahead at most. */
static void begin(cf_moment at) {
    const cf_moment present = now();
    const int32_t ahead = (int32_t)(at - present);
    const uint32_t pass = ahead > (int32_t)SHORTEST ? (uint32_t)ahead : SHORTEST;
    clock.end = present + pass;
    follow(pass);
    cf_mmio_write(SYST_CVR, 0);
    cf_mmio_write(ICSR, ICSR_PENDSTCLR);
    wait_begun();
    follow(clock.pace);
}

static void pace(cf_number period) {
    clock.pace = period > LONGEST ? LONGEST : period < LEAST_PACE ? LEAST_PACE : (uint32_t)period;
}

/* The first pass is a long one, from 0 whatever the counter reads now: an emulator may take more than a short one to tell of its
 * beginning, and many would go by unseen. */
static void start(void) {
    clock.pace = LONGEST;
    clock.end = LONGEST;
    follow(LONGEST); /* without it the counter does not begin to count */
    cf_mmio_write(SYST_CVR, 0);
    cf_mmio_write(SYST_CSR, SYST_CSR_RUN);
    cf_mmio_write(ICSR, ICSR_PENDSTCLR);
    wait_begun();
}

/* Close to the end of a pass it is too late to choose the next one; who handles that end sets the alarm again. */
static void alarm(cf_moment at) {
    const uint32_t left = cf_mmio_read(SYST_CVR);
    if (left < SHORTEST || ended()) {
        return;
    }
    const int32_t beyond = (int32_t)(at - clock.end);
    if (beyond < 0) {
        begin(at);
        return;
    }
    follow(beyond >= (int32_t)LEAST && (uint32_t)beyond < clock.pace ? (uint32_t)beyond : clock.pace);
}

static void interrupt(void) {
    clock.end += clock.next;
    wait_begun();
}

/* Only one end can be pending: the next one would be lost. */
static void catch_up(void) {
    if (ended()) {
        cf_mmio_write(ICSR, ICSR_PENDSTCLR);
        interrupt();
    }
}

const struct cf_clock_driver cf_systick = {
    .start = start, .now = now, .alarm = alarm, .interrupt = interrupt, .catch_up = catch_up, .pace = pace, .early = LEAST,
};
