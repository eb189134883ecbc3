/* Registers: Cortex-A9 MPCore Technical Reference Manual, DDI 0407, section 4.4. From r2p0 on the comparator matches
 * when the counter is at its value or beyond. */
#include "drivers/a9_timer.h"

#include "drivers/mmio.h"

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

void cf_a9_timer_init(uintptr_t base) {
    cf_mmio_write(base + CONTROL, CONTROL_RUN);
    cf_mmio_write(base + STATUS, STATUS_EVENT);
}

uint64_t cf_a9_timer_now(uintptr_t base) {
    for (;;) {
        const uint32_t high = cf_mmio_read(base + COUNTER_HIGH);
        const uint32_t low = cf_mmio_read(base + COUNTER_LOW);
        if (cf_mmio_read(base + COUNTER_HIGH) == high) {
            return (uint64_t)high << 32 | low;
        }
    }
}

void cf_a9_timer_arm(uintptr_t base, uint64_t at) {
    cf_mmio_write(base + CONTROL, CONTROL_RUN); /* the comparator is changed while it is off */
    cf_mmio_write(base + STATUS, STATUS_EVENT);
    cf_mmio_write(base + COMPARE_LOW, (uint32_t)at);
    cf_mmio_write(base + COMPARE_HIGH, (uint32_t)(at >> 32));
    cf_mmio_write(base + CONTROL, CONTROL_RUN | CONTROL_COMPARE | CONTROL_INTERRUPT);
}

void cf_a9_timer_disarm(uintptr_t base) {
    cf_mmio_write(base + CONTROL, CONTROL_RUN);
    cf_mmio_write(base + STATUS, STATUS_EVENT);
}
