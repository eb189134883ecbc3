/* A board whose devices are variables, for cases.c alone. */
#ifndef CF_TEST_BENCH_H
#define CF_TEST_BENCH_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/arch.h"
#include "platform/board.h"
#include "platform/chip.h"
#include "platform/watchdog.h"
#include "test/check.h"

enum { UART_IRQ = 33, CLOCK_IRQ = 27 };

#define CLOCK_HZ 1000000u
#define UART_HZ 48000000u
#define POOR_UART_HZ 1000u /* makes none of the rates */
#define NEVER UINT64_MAX

/* --- The devices. */

static struct {
    bool masked;
    uint64_t time;         /* of which the board may see the low bits */
    uint64_t alarm;
    bool clock_raised;
    bool awake;            /* sleep ends at once */
    uint32_t alarms;       /* set, not taken back */
    uint64_t earliest;     /* the comparator goes off here, if that is before the alarm */
    uint8_t fifo[16];      /* raises its interrupt from 8 bytes on */
    uint32_t held;
    uint32_t lost;         /* in the FIFO, not told yet */
    uint32_t baud_divisor; /* of the last start; 0 before */
    uint32_t uart_starts, flushes, sleeps, clock_interrupts, completed;
    uint32_t poor_starts;  /* starts of the chip without its oscillator */
    uint64_t flushed_at, started_at;
    uint64_t takes;        /* ticks of a program, or of a tick of the loop */
    uint32_t ticks;        /* of the loop */
    uint64_t late;         /* the last of these */
    uint64_t period;       /* from the due time of one to that of the next; 0: the loop ends */
    uint32_t spins;        /* looks at the clock since bytes were last taken */
    uint64_t stall;        /* time that passes before each look beside the tick that it takes */
    uint32_t button;       /* level of its pin */
    uint64_t let_go;       /* when it is 0 after all */
    char dog[64];          /* what the watchdog was told: start, feed, stop */
    uint32_t conditions;   /* of the chip */
    uint32_t noise;        /* of the chip's generator */
    jmp_buf restart;
} device;

static uint8_t data[1024];
static uint32_t samples[4];

static bool uart_start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    const uint32_t cycles = cf_uart_divide(clock_hz, baud);
    CHECK(base == 0x1000);
    if (cycles < 16 || !cf_uart_near(clock_hz, baud, cycles)) {
        return false;
    }
    device.held = 0; /* as a PL011's FIFO */
    device.baud_divisor = cycles;
    device.uart_starts++;
    device.started_at = device.time;
    return true;
}

static uint32_t uart_interrupt(uintptr_t base, struct cf_ring *rx) {
    const uint32_t told = device.lost;
    uint32_t lost = told;
    CHECK(base == 0x1000 && device.masked);
    device.spins = 0;
    for (uint32_t i = 0; i < device.held; i++) {
        lost += !cf_ring_put(rx, device.fifo[i]);
    }
    device.held = device.lost = 0;
    return lost;
}

static void uart_send(uintptr_t base, const uint8_t *src, uint32_t len) {
    (void)base, (void)src, (void)len;
}

static void uart_flush(uintptr_t base) {
    (void)base;
    device.flushes++;
    device.flushed_at = device.time;
}

static const struct cf_uart_driver uart = {uart_start, uart_interrupt, uart_send, uart_flush};

static void clock_start(void) {
    CHECK(device.masked);
    device.alarm = NEVER;
}

/* Looking takes a tick, or loops that wait awake would not end. */
static cf_moment clock_now(void) {
    CHECK(device.masked);
    device.spins++;
    device.time += device.stall;
    return (cf_moment)++device.time;
}

/* Of the moments with these bits the nearest one. */
static uint64_t whole(cf_moment at) {
    return device.time + (uint64_t)(int64_t)(cf_difference)(at - (cf_moment)device.time);
}

static void clock_alarm(cf_moment at) {
    CHECK(device.masked);
    device.alarm = !CF_SMALL && at == CF_NEVER ? NEVER : whole(at);
    device.alarms += device.alarm != NEVER;
    device.clock_raised = false;
}

static void clock_interrupt(void) {
    device.clock_interrupts++;
}

static const struct cf_clock_driver timekeeper = {.start = clock_start, .now = clock_now, .alarm = clock_alarm, .interrupt = clock_interrupt};

static void irq_start(void) {
    CHECK(device.masked);
}

static int32_t irq_claim(void) {
    if (device.clock_raised) {
        return CLOCK_IRQ;
    }
    return device.held >= 8 ? UART_IRQ : CF_IRQ_NONE;
}

static void irq_complete(int32_t number) {
    CHECK(number == UART_IRQ || number == CLOCK_IRQ);
    device.completed++;
}

static const struct cf_irq_driver irq = {irq_start, irq_claim, irq_complete};

/* --- A watchdog that cannot be changed while it runs, of which the clock takes care beside the link. */

enum { DOG = 0x5000 };

static const struct cf_watchdog dog = {
    .start = CF_STEPS(CF_GIVEN(DOG + 0x10, 0x100)),
    .feed = CF_STEPS(CF_WRITE(DOG + 0x20, 7)),
    .stop = CF_STEPS(CF_WRITE(DOG + 0x30, 8)),
    .stays = 1, .scale = 3, .least = 10, .most = 20, .running = DOG, .fixed = DOG,
};

enum { BUTTON = 0x6000 };

uint32_t cf_mmio_read(uintptr_t address) {
    if (address == BUTTON) {
        return device.time < device.let_go ? device.button : 0;
    }
    CHECK(address == DOG);
    return 0; /* it does not run */
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    const uint32_t want[] = {0x100 + 15 * 3, 7, 8};
    const size_t n = strlen(device.dog);
    const uintptr_t at = address - DOG - 0x10;
    CHECK(at % 16 == 0 && at / 16 < 3 && value == want[at / 16]);
    if (n < sizeof device.dog - 1) {
        device.dog[n] = "sfe"[at / 16];
        device.dog[n + 1] = 0;
    }
}

/* What it was told since the last time. */
static bool told(const char *what) {
    const bool same = strcmp(device.dog, what) == 0;
    device.dog[0] = 0;
    return same;
}

const struct cf_chip cf_chip = {
    .watchdog = &dog,
    .uart = &uart, .uart_base = 0x1000, .uart_irq = UART_IRQ, .clock = &timekeeper, .clock_irq = CLOCK_IRQ, .irq = &irq,
};

struct cf_rates cf_chip_init(void) {
    const bool poor = device.poor_starts != 0;
    device.poor_starts -= poor;
    return (struct cf_rates){.clock_hz = CLOCK_HZ, .uart_hz = poor ? POOR_UART_HZ : UART_HZ, .conditions = CF_CONDITION_INTERNAL_CLOCK};
}

uint32_t cf_chip_noise(void) {
    return device.noise;
}

CF_BUFFERS(256, 1024);
CF_BAUDS(115200, 9600, 460800);

const struct cf_pin_windows cf_pin_windows = {.feature = 0};

const struct cf_store_memory cf_hal_store_memory = {.slots = NULL};

const struct cf_board cf_board = {
    CF_BOARD("bench"),
    .hold.level[1] = {BUTTON, 6, 2},
    .platform.code_exec = 0x40000000, .platform.capacity[CF_CAPACITY_CODE] = 64,
    .platform.data = data, .platform.capacity[CF_CAPACITY_DATA] = sizeof data,
    .platform.samples = samples, .platform.capacity[CF_CAPACITY_SAMPLES] = 4,
};

/* --- The processor. */

void cf_arch_irq_mask(void) {
    device.masked = true;
}

/* What is pending comes now; a tick on the stack of what it interrupts, as where interrupts nest. */
void cf_arch_irq_unmask(void) {
    CHECK(device.masked);
    if (cf_platform_interrupts() == CF_PLATFORM_TICK) {
        cf_platform_tick();
        CHECK(!device.masked);
        device.masked = true;
        cf_platform_ticked();
    }
    device.masked = false;
}

void cf_loop_tick(struct cf_loop *l, cf_moment time) {
    CHECK(!device.masked && l == cf_board.platform.loop && !cf_before(time, l->due));
    device.ticks++;
    l->tick++;
    device.late = time - l->due;
    device.time += device.takes;
    l->count[CF_LOOP_END] = device.period != 0 ? CF_LOOP_END_NONE : CF_LOOP_END_PLAN;
    do {
        l->due += (cf_number)device.period;
    } while (device.period != 0 && cf_before(l->due, (cf_moment)device.time));
}

/* The next thing to happen is the alarm, unless something is pending. */
void cf_arch_sleep(void) {
    const uint64_t at = device.alarm < device.earliest ? device.alarm : device.earliest;
    CHECK(device.masked);
    device.sleeps++;
    if (device.held >= 8 || at == NEVER || device.awake) {
        return;
    }
    device.earliest = NEVER;
    device.time = device.time < at ? at : device.time;
    device.clock_raised = true;
}

/* The interrupt of the clock, in a program. */
static bool ends_program(void) {
    device.clock_raised = true;
    return cf_platform_interrupts() == CF_PLATFORM_ALARM;
}

int cf_arch_call(uintptr_t entry, void *argument, struct cf_call *call) {
    int kind = 0;
    CHECK(device.masked && entry == 0x40000010 && argument == data);
    call->start = (cf_moment)device.time;
    if (device.earliest < device.alarm) {
        device.alarm = NEVER; /* it has gone off */
        device.time = device.earliest;
        CHECK(!ends_program());
    }
    device.time = whole(call->start) + device.takes;
    if (device.time >= device.alarm) {
        kind = ends_program() ? CF_FAULT_TIME_LIMIT : CF_FAULT_OTHER;
    }
    call->end = (cf_moment)device.time;
    return kind;
}

_Noreturn void cf_arch_restart(void) {
    longjmp(device.restart, 1);
}

uint32_t cf_arch_conditions(void) {
    return CF_CONDITION_UNCONFINED;
}

uint32_t cf_chip_conditions(void) {
    return device.conditions;
}

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    (void)offset, (void)len;
}

#endif
