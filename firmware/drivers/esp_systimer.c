/*
 * System timer of the ESP32-C3: 52 bits, 16 MHz from its crystal whatever the core's clock is. Registers: esp-idf,
 * soc/esp32c3/register/soc/systimer_reg.h.
 */
#include "drivers/clock.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

#if !CF_SMALL /* moments have 64 bits */

enum {
    CONF = 0x00,
    UNIT0_OP = 0x04,
    TARGET0_HIGH = 0x1c,
    TARGET0_LOW = 0x20,
    TARGET0_CONF = 0x34, /* 0: one time, unit 0 */
    UNIT0_HIGH = 0x40,
    UNIT0_LOW = 0x44,
    COMP0_LOAD = 0x50,
    INT_ENA = 0x64,
    INT_RAW = 0x68,
    INT_CLR = 0x6c,
};

#define BASE cf_chip.clock_base

/* Of CONF. Where a debugger stops the core, the timer goes on. */
#define REGISTERS_ON (1u << 31)
#define UNIT0_ON (1u << 30)
#define TARGET0_ON (1u << 24)
#define ON (REGISTERS_ON | UNIT0_ON)

#define UPDATE (1u << 30)
#define VALID (1u << 29)
#define TARGET0 1u

#define SOON 16u /* 1 us: what setting a target takes, with some to spare */

static cf_moment now(void) {
    cf_mmio_write(BASE + UNIT0_OP, UPDATE);
    while ((cf_mmio_read(BASE + UNIT0_OP) & VALID) == 0) {
    }
    return cf_mmio_read_counter(BASE + UNIT0_LOW, BASE + UNIT0_HIGH);
}

static void aim(cf_moment at) {
    cf_mmio_write(BASE + CONF, ON);
    cf_mmio_write(BASE + TARGET0_HIGH, (uint32_t)(at >> 32));
    cf_mmio_write(BASE + TARGET0_LOW, (uint32_t)at);
    cf_mmio_write(BASE + COMP0_LOAD, 1);
    cf_mmio_write(BASE + CONF, ON | TARGET0_ON);
}

/* Whether a target that has passed goes off is not relied on: then it is one that comes soon. */
static void alarm(cf_moment at) {
    cf_mmio_write(BASE + CONF, ON);
    cf_mmio_write(BASE + INT_CLR, TARGET0);
    if (at == CF_NEVER) {
        return;
    }
    for (aim(at); now() >= at && (cf_mmio_read(BASE + INT_RAW) & TARGET0) == 0;) {
        at = now() + SOON;
        aim(at);
    }
}

static void start(void) {
    alarm(CF_NEVER);
    cf_mmio_write(BASE + TARGET0_CONF, 0);
    cf_mmio_write(BASE + INT_ENA, TARGET0);
}

const struct cf_clock_driver cf_esp_systimer = {.start = start, .now = now, .alarm = alarm};

#endif
