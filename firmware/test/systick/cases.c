/* arch/cortex-m/systick.c on a counter that is a variable: it keeps time. */
#include <stdio.h>
#include <stdlib.h>

#include "arch/cortex-m/devices.h"
#include "arch/cortex-m/registers.h"
#include "test/check.h"

static const struct cf_clock_driver *const driver = &cf_systick;

static struct {
    uint64_t time; /* counts since it was switched on */
    uint32_t reload;
    uint32_t left;
    bool running;
    bool pending;
    uint32_t breaks; /* of passes */
    uint64_t alarm;
} device;

static uint32_t chance(uint32_t below) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static void advance(uint64_t counts) {
    device.time += counts;
    while (device.running && counts > 0) {
        if (device.left == 0) { /* lasts a count */
            device.left = device.reload;
            counts--;
            continue;
        }
        const uint64_t step = counts < device.left ? counts : device.left;
        device.left -= (uint32_t)step;
        counts -= step;
        device.pending = device.pending || device.left == 0;
    }
}

uint32_t cf_mmio_read(uintptr_t address) {
    advance(1 + chance(3));
    CHECK(address == SYST_CVR || address == ICSR);
    return address == SYST_CVR ? device.left : device.pending ? ICSR_PENDSTSET : 0;
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    advance(1 + chance(3));
    if (address == SYST_CSR) {
        device.running = value == SYST_CSR_RUN;
    } else if (address == SYST_RVR) {
        CHECK(value > 0 && value < 0x1000000u);
        device.reload = value;
    } else if (address == SYST_CVR) {
        device.left = 0;
        device.breaks++;
    } else {
        CHECK(address == ICSR && value == ICSR_PENDSTCLR);
        device.pending = false;
    }
}

/* What it tells: the low bits, which a few minutes go through several times. */
static uint64_t now(void) {
    const cf_moment told = driver->now();
    return device.time + (uint64_t)(int64_t)(int32_t)(told - (uint32_t)device.time);
}

/* What the clock has lost: the counter is read a few counts before `time` is. */
static uint64_t lost(void) {
    const uint64_t told = now();
    return device.time - told;
}

static void arm(uint64_t at) {
    device.alarm = at;
    driver->alarm((cf_moment)at);
}

#define FAR 0x40000000u

/* As platform.c does. Returns true if the alarm has come. */
static bool handle(bool tick) {
    device.pending = false;
    driver->interrupt();
    const bool come = device.alarm <= now() + (tick ? driver->early : 0);
    arm(come ? now() + FAR : device.alarm);
    return come;
}

/* Sleeps until the alarm has come, which is heard of some counts late. */
static void wait_alarm(bool tick, uint32_t latency) {
    do {
        if (!device.pending) {
            advance(device.left == 0 ? 1 : device.left);
        }
        if (device.pending) {
            advance(chance(latency + 1));
        }
    } while (!device.pending || !handle(tick));
}

/* Passes time in a program, with interrupts. */
static void work(uint64_t counts) {
    const uint64_t end = device.time + counts;
    while (device.time < end) {
        if (device.pending) {
            CHECK(!handle(false));
            continue;
        }
        const uint64_t before = end - device.time;
        advance(device.left != 0 && device.left < before ? device.left : before);
    }
}

/* A minute of ticks, 1000 in each of its seconds, that take anything up to `most` counts: the clock loses none, and no alarm comes
 * late. Interrupts are masked from then on until the tick is due, `guard` counts, in which passes may end. */
static void minute(uint64_t period, uint32_t rest, uint64_t limit, uint32_t most, uint32_t guard) {
    const uint32_t latency = 200;
    uint64_t due = now() + 50000;
    uint32_t carry = 0;
    driver->pace((cf_number)(limit < period ? limit : period));
    arm(due - guard);
    uint32_t breaks = 0;
    uint64_t before = 0;
    for (uint32_t i = 0; i < 60000; i++) {
        wait_alarm(true, latency);
        if (i == 0) {
            breaks = device.breaks;
            before = lost();
        }
        const uint64_t came = now();
        CHECK(came + guard + driver->early >= due && came <= due - guard + latency + 100);
        while (now() < due) {
            driver->catch_up();
        }
        arm(now() + limit);
        work(chance(most));
        do {
            carry += rest;
            due += period + (carry < rest);
        } while (due < now() + 2 * guard);
        arm(due - guard);
    }
    CHECK(device.breaks == breaks);
    CHECK(lost() - before + 16 < 32); /* what it takes to look */
    driver->pace((cf_number)-1);
    arm(now() + FAR);
    work(1u << 26);
}

int main(void) {
    device.left = 12345;
    device.pending = true;
    driver->start();
    CHECK(now() < 1u << 26);
    /* At 25 MHz, 16.777 MHz with a rest, 168 MHz, and 10000 ticks a second; short and long ticks; limits of a tick above and below the
     * period, and far below the guard. */
    minute(25000, 0, 100000, 3000, 512);
    minute(25000, 0, 100000, 40000, 512);
    minute(16777, 0x12345678, 60000, 15000, 512);
    minute(2500, 0, 10000, 1000, 512);
    minute(168000, 0x80000000, 100000, 90000, 512);
    minute(16800, 0, 2100, 2000, 5127);
    /* One that is nearer than the end of the pass comes on time, and costs no more than it takes to start another. */
    for (uint32_t i = 0; i < 1000; i++) {
        const uint64_t before = lost();
        const uint64_t at = now() + 100 + chance(100000);
        const uint32_t breaks = device.breaks;
        arm(at);
        wait_alarm(false, 20);
        const uint64_t came = now();
        CHECK(came >= at && came < at + 200);
        CHECK(lost() - before + 16 < 32 + 24 * (device.breaks - breaks));
    }
    CHECK(device.time >> 32 > 2); /* its bits have been gone through */
    return 0;
}
