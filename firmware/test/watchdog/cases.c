/* platform/watchdog.c with the table of one chip (its chip.c) on a model of its watchdog: it is started, fed and stopped. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/loop.h"
#include "platform/board.h"
#include "platform/chip.h"
#include "platform/watchdog.h"
#include "test/check.h"
#include "test/watchdog/models.h"

static struct cf_loop loop;
const struct cf_board cf_board = {.platform.loop = &loop};

_Noreturn void refuse(const char *what, uint32_t value) {
    fprintf(stderr, "the manual forbids: %s (%#x)\n", what, (unsigned)value);
    exit(1);
}

uint32_t cf_mmio_read(uintptr_t address) {
    return model_read(address);
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    model_write(address, value);
}

#define MS 1000u
#define RUN_LIMIT ((CF_RUN_LIMIT_S * 1000u + 100u) * MS) /* a RUN, and a slice of one before it */

static const struct cf_watchdog *table(void) {
    return cf_chip.watchdog;
}

/* A loop begins, its first tick ends, and the link is looked after. */
static void begin(uint32_t ms) {
    const int32_t counts = cf_hal_watchdog(ms);
    CHECK(counts > 0);
    loop.watchdog = (uint32_t)counts;
    loop.tick = loop.fed = 0;
    cf_watchdog_start();
    CHECK(model_pass(2 * MS) == 0);
    loop.tick++;
    cf_watchdog_feed();
}

static void check_reset(uint32_t ms, uint64_t after) {
    const uint64_t asked = (uint64_t)ms * MS;
    const uint64_t off = asked / 125 + 2u * model_grain; /* counts are of 0.8 percent, a count may begin late, and be cut off */
    CHECK(after >= asked - off && after <= asked + off);
}

/* As long as both are alive nothing happens; then comes the reset. */
static void hangs(uint32_t ms, bool ticks, bool link) {
    begin(ms);
    for (uint32_t i = 0; i < 30; i++) {
        CHECK(model_pass((uint64_t)ms * MS / 2) == 0);
        loop.tick += 1 + i % 3;
        cf_watchdog_feed();
    }
    uint64_t passed = 0;
    const uint64_t step = MS;
    for (;; passed += step) {
        const uint64_t after = model_pass(step);
        if (after != 0) {
            check_reset(ms, passed + after);
            return;
        }
        CHECK(passed < 100000u * MS);
        loop.tick += ticks;
        if (link) {
            cf_watchdog_feed();
            cf_watchdog_keep();
        }
    }
}

/* The loop's end, and what comes after it. */
static void ends(uint32_t ms) {
    begin(ms);
    cf_watchdog_stop();
    cf_watchdog_feed();
    CHECK(model_pass(5 * MS) == 0);
    cf_watchdog_feed();
    if (model_end == STOPS) {
        CHECK(model_pass(3600ull * 1000 * MS) == 0);
    }
    if (model_end == STAYS) { /* the clock's interrupt comes every 131 ms and more often */
        for (uint32_t i = 0; i < 200; i++) {
            CHECK(model_pass(132 * MS) == 0);
            cf_watchdog_keep();
        }
        CHECK(cf_hal_watchdog(ms == table()->least ? table()->most : table()->least) == -CF_ERR_BUSY);
        begin(ms);
        check_reset(ms, model_pass(100000u * MS));
        return;
    }
    for (uint32_t i = 0; i < 100; i++) {
        CHECK(model_pass(RUN_LIMIT) == 0);
        cf_watchdog_feed();
        cf_watchdog_keep();
    }
    const uint32_t other = ms == table()->least ? table()->most : table()->least;
    begin(other);
    check_reset(other, model_pass(100000u * MS));
}

/* Nothing is started that has not been asked for, and feeding it does no harm. */
static void idles(uint32_t ms) {
    for (uint32_t i = 0; i < 100; i++) {
        cf_watchdog_feed();
        cf_watchdog_keep();
        loop.tick++;
        CHECK(model_pass((uint64_t)ms * MS) == 0);
    }
    cf_watchdog_stop();
    cf_watchdog_start();
    CHECK(model_pass(100000u * MS) == 0);
}

/* A warm restart on cores where that is no reset of the chip: what an earlier life has started is off. */
static void survives(uint32_t ms) {
    begin(ms);
    loop.watchdog = 0; /* as all variables */
    cf_watchdog_init();
    CHECK(model_pass(100000u * MS) == 0);
}

static void ranges(uint32_t ms) {
    (void)ms;
    CHECK(cf_hal_watchdog(0) == -CF_ERR_BAD_LENGTH && cf_hal_watchdog(1) == -CF_ERR_BAD_LENGTH && cf_hal_watchdog(table()->least - 1) == -CF_ERR_BAD_LENGTH);
    CHECK(cf_hal_watchdog(table()->least) > 0 && cf_hal_watchdog(table()->most) > 0);
    CHECK(cf_hal_watchdog(table()->most + 1) == -CF_ERR_BAD_LENGTH && cf_hal_watchdog(UINT32_MAX) == -CF_ERR_BAD_LENGTH);
    CHECK((uint64_t)table()->most * table()->scale <= UINT32_MAX);
}

static void hung_tick(uint32_t ms) {
    hangs(ms, false, true);
}

static void hung_link(uint32_t ms) {
    hangs(ms, true, false);
}

/* Each in a process of its own, as after a reset. */
static void apart(void (*test)(uint32_t), uint32_t ms) {
    const pid_t child = fork();
    if (child == 0) {
#ifdef LM3S
        (void)cf_chip_init(); /* without it the device has no clock */
#endif
        test(ms);
        exit(0);
    }
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
    const uint32_t times[] = {table()->least, 750, table()->most};
    for (uint32_t i = 0; i < 3; i++) {
        apart(hung_tick, times[i]);
        apart(hung_link, times[i]);
        apart(ends, times[i]);
        apart(idles, times[i]);
        if (model_end == STOPS) {
            apart(survives, times[i]);
        }
    }
    apart(ranges, 0);
    printf("%u to %u ms\n", (unsigned)table()->least, (unsigned)table()->most);
    return 0;
}
