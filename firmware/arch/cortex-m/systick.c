/*
 * SysTick counts down and has no comparator: its interrupt comes at the end of a pass of at most 2^24 ticks. Passes are as
 * long as they can be; only an alarm that is nearer starts a shorter one. Starting a pass loses the few ticks between
 * reading the counter and clearing it, so a time limit or a sleep of less than a pass costs the clock that much: it does
 * not keep time then. Time never goes backwards.
 */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/devices.h"
#include "arch/cortex-m/registers.h"

#define LONGEST 0x1000000u
#define SHORTEST 64 /* ticks: enough to leave the handler that starts it */

static struct {
    uint64_t end;  /* time at which the pass ends */
    uint32_t pass; /* ticks in it */
    bool begun;    /* the counter has been seen to count in it */
} clock;

/*
 * In a pass the counter reads 0, pass - 1, ..., 1. The end of one that the handler has not seen yet is pending. An emulator
 * may be late with that, and read 0 meanwhile: a 0 belongs to the begin of the first pass only.
 */
static uint64_t now(void) {
    uint32_t left = cf_mmio_read(SYST_CVR);
    uint64_t end = clock.end;
    if ((cf_mmio_read(ICSR) & ICSR_PENDSTSET) != 0) {
        clock.begun = true;
        left = cf_mmio_read(SYST_CVR);
        if (left != 0) {
            end += clock.pass;
        }
    }
    if (left != 0) {
        clock.begun = true;
    } else if (!clock.begun) {
        left = clock.pass;
    }
    return end - left;
}

static void begin(uint32_t pass) {
    clock.end = now() + pass;
    cf_mmio_write(SYST_RVR, pass - 1u);
    cf_mmio_write(SYST_CVR, 0);
    cf_mmio_write(ICSR, ICSR_PENDSTCLR);
    clock.pass = pass;
    clock.begun = false;
}

static void start(void) {
    clock.end = LONGEST; /* whatever the counter reads now */
    clock.pass = LONGEST;
    begin(LONGEST);
    cf_mmio_write(SYST_CSR, SYST_CSR_RUN);
}

static void alarm(uint64_t at) {
    if (at < clock.end) { /* else this pass ends by itself */
        const int32_t left = (int32_t)(uint32_t)(at - now()); /* a pass at most, or a little less than 0 */
        begin(left > SHORTEST ? (uint32_t)left : SHORTEST);
    }
}

static void interrupt(void) {
    clock.end += clock.pass;
    if (clock.pass != LONGEST) {
        begin(LONGEST);
    }
}

const struct cf_clock_driver cf_systick = {
    .start = start, .now = now, .alarm = alarm, .interrupt = interrupt,
};
