/* Registers: Cortex-A9 MPCore Technical Reference Manual, DDI 0407, section 4.4. From r2p0 on the comparator matches
 * when the counter is at its value or beyond. */
#include "drivers/clock.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

#if !CF_SMALL /* moments have 64 bits */

enum {
    COUNTER_LOW = 0x00,
    COUNTER_HIGH = 0x04,
    CONTROL = 0x08,
    STATUS = 0x0c,
    COMPARE_LOW = 0x10,
    COMPARE_HIGH = 0x14,
};

#define CONTROL_RUN 1u
#define CONTROL_COMPARE 2u
#define CONTROL_INTERRUPT 4u
#define STATUS_EVENT 1u

#define BASE cf_chip.clock_base

static cf_moment now(void) {
    return cf_mmio_read_counter(BASE + COUNTER_LOW, BASE + COUNTER_HIGH);
}

static void alarm(cf_moment at) {
    cf_mmio_write(BASE + CONTROL, CONTROL_RUN); /* the comparator is changed while it is off */
    cf_mmio_write(BASE + STATUS, STATUS_EVENT);
    if (at != CF_NEVER) {
        cf_mmio_write(BASE + COMPARE_LOW, (uint32_t)at);
        cf_mmio_write(BASE + COMPARE_HIGH, (uint32_t)(at >> 32));
        cf_mmio_write(BASE + CONTROL, CONTROL_RUN | CONTROL_COMPARE | CONTROL_INTERRUPT);
    }
}

static void start(void) {
    alarm(CF_NEVER);
}

const struct cf_clock_driver cf_a9_timer = {.start = start, .now = now, .alarm = alarm};

#endif
