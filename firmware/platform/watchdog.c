/*
 * One routine for the watchdogs of all chips, which are lists of steps (drivers/watchdog.h).
 *
 * It is fed by the link, and only if the loop has a new tick since the last time: so both must be alive. One that cannot be turned off
 * is fed by the link alone while no loop has it.
 */
#include "platform/watchdog.h"

#include <stddef.h>

#include "core/loop.h"
#include "drivers/mmio.h"
#include "platform/board.h"
#include "platform/chip.h"

#define CHIP cf_chip.watchdog
#define LOOP cf_board.platform.loop

static void carry_out(const struct cf_step *steps) {
    (void)cf_steps(steps, LOOP->watchdog);
}

int32_t cf_hal_watchdog(uint32_t ms) {
    if (CHIP == NULL) {
        return -CF_ERR_UNSUPPORTED;
    }
    if (ms < CHIP->least || ms > CHIP->most) {
        return -CF_ERR_BAD_LENGTH;
    }
    const uint32_t count = ms * CHIP->scale >> CHIP->shift;
    if (CHIP->fixed != 0 && (cf_mmio_read(CHIP->running) & 1u) != 0 && cf_mmio_read(CHIP->fixed) != count) {
        return -CF_ERR_BUSY;
    }
    return (int32_t)count;
}

void cf_watchdog_init(void) {
    if (CHIP != NULL) {
        carry_out(CHIP->stop);
    }
}

void cf_watchdog_start(void) {
    if (CHIP != NULL && LOOP->watchdog != 0) {
        carry_out(CHIP->start);
    }
}

void cf_watchdog_stop(void) {
    if (CHIP != NULL && LOOP->watchdog != 0) {
        LOOP->watchdog = 0;
        carry_out(CHIP->stop);
    }
}

void cf_watchdog_feed(void) {
    if (CHIP != NULL) {
        const uint32_t tick = cf_get(&LOOP->tick);
        if (CHIP->stays ? tick != LOOP->fed || LOOP->watchdog == 0 : tick != LOOP->fed && LOOP->watchdog != 0) {
            LOOP->fed = tick;
            carry_out(CHIP->feed);
        }
    }
}

void cf_watchdog_keep(void) {
    if (CHIP != NULL && CHIP->fixed != 0 && LOOP->watchdog == 0) {
        carry_out(CHIP->feed);
    }
}
