/* platform/platform.c on a board whose devices are variables: what every board does alike, case by case. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/arch.h"
#include "platform/board.h"
#include "platform/chip.h"
#include "platform/watchdog.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

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
    char dog[64];          /* what the watchdog was told: start, feed, stop */
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

uint32_t cf_mmio_read(uintptr_t address) {
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
    return (struct cf_rates){.clock_hz = CLOCK_HZ, .uart_hz = poor ? POOR_UART_HZ : UART_HZ};
}

CF_BUFFERS(256, 1024);
CF_BAUDS(115200, 9600, 460800);

const struct cf_pin_windows cf_pin_windows = {.feature = 0};

const struct cf_board cf_board = {
    CF_BOARD("bench"),
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

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    (void)offset, (void)len;
}

/* --- The cases. */

/* Starts the board as a restart does; what the last case has left in the queue goes. */
static const struct cf_platform *start(void) {
    uint8_t rest[1024];
    (void)cf_hal_rx(rest, sizeof rest);
    device.masked = true;
    device.earliest = NEVER;
    return cf_hal_init();
}

/* No alarm is set. A clock of 32 bits has one that nobody waits for. */
static bool no_alarm(void) {
    return CF_SMALL || device.alarm == NEVER;
}

static void receive(const char *text) {
    memcpy(device.fifo, text, strlen(text));
    device.held = (uint32_t)strlen(text);
}

/* A board tells of itself what its file says. */
static void test_start(void) {
    const struct cf_platform *p = start();
    CHECK(p == &cf_board.platform && strcmp(p->board, "bench") == 0);
    CHECK(p->capacity[CF_CAPACITY_PACKET] == 256 && p->capacity[CF_CAPACITY_WINDOW] == 512 && p->baud_count == 3);
    CHECK(!device.masked && device.uart_starts == 1 && device.baud_divisor == 417 && no_alarm());
    CHECK(cf_hal_timer_hz() == CLOCK_HZ && cf_hal_overruns() == 0);
}

/* Without the oscillator that its first rate needs a board tries again, and never sets its line to nonsense. */
static void test_start_without_oscillator(void) {
    device.poor_starts = 3;
    device.uart_starts = 0;
    (void)start();
    CHECK(device.poor_starts == 0 && device.uart_starts == 1 && device.baud_divisor == 417);
}

/* A few bytes do not raise the interrupt yet; starting the line at another rate empties its FIFO. */
static void test_rate_keeps_bytes(void) {
    uint8_t got[8];
    (void)start();
    receive("abc");
    CHECK(cf_hal_rx(got, sizeof got) == 0);
    device.flushes = 0;
    CHECK(cf_hal_set_baud(9600) == 0);
    CHECK(device.baud_divisor == 5000 && !device.masked);
    CHECK(cf_hal_rx(got, sizeof got) == 3 && memcmp(got, "abc", 3) == 0);
    CHECK(device.flushes == 1 && device.started_at - device.flushed_at >= CLOCK_HZ / 600); /* 16 bits at 9600 baud */
}

static void test_impossible_rate(void) {
    (void)start();
    receive("de");
    device.uart_starts = 0;
    CHECK(cf_hal_set_baud(10000000) == -1 && cf_hal_set_baud(2750000) == -1);
    CHECK(device.uart_starts == 0 && device.baud_divisor == 417 && !device.masked);
}

static void test_overruns_are_counted(void) {
    uint8_t got[2048];
    const uint32_t before = cf_hal_overruns();
    (void)start();
    device.lost = 2;
    for (uint32_t i = 0; i < 1024 / 8; i++) {
        receive("01234567");
        cf_arch_irq_mask();
        cf_arch_irq_unmask();
    }
    receive("89abcdef");
    cf_arch_irq_mask();
    cf_arch_irq_unmask();
    CHECK(cf_hal_overruns() == before + 2 + 8);
    CHECK(cf_hal_rx(got, sizeof got) == 1024 && got[0] == '0' && got[1023] == '7');
}

/* Sleeps until its time, but not with something to do. */
static void test_wait(void) {
    uint8_t got[8];
    (void)start();
    device.sleeps = 0;
    if (!CF_SMALL) {
        CHECK(cf_hal_wait((cf_moment)device.time) == 0 && device.sleeps == 0);
        const uint64_t at = device.time + 5000;
        CHECK(cf_hal_wait((cf_moment)at) == 0 && device.sleeps == 1 && device.time >= at && device.alarm == NEVER);
        device.sleeps = 0;
    }
    receive("12345678");
    cf_arch_irq_mask();
    cf_arch_irq_unmask();
    CHECK(cf_hal_wait(CF_NEVER) == 0 && device.sleeps == 0);
    CHECK(cf_hal_rx(got, sizeof got) == 8);
    CHECK(cf_hal_wait(CF_NEVER) == 0 && device.sleeps == 1 && !device.masked);
}

/* It sleeps for most of the time, but where size comes first. */
static void test_until(void) {
    (void)start();
    device.sleeps = device.alarms = 0;
    const uint64_t at = device.time + 10000;
    cf_hal_until((cf_moment)at);
    CHECK(device.time >= at && device.time < at + 100);
    CHECK(device.sleeps == !CF_SMALL && device.alarms == !CF_SMALL && no_alarm());
    device.earliest = device.time + 1000; /* too early: it sleeps again */
    device.sleeps = 0;
    const uint64_t later = device.time + 10000;
    cf_hal_until((cf_moment)later);
    CHECK(device.time >= later && device.time < later + 100 && device.sleeps == (CF_SMALL ? 0 : 2));
    device.earliest = NEVER;
}

static void test_call(void) {
    struct cf_call call;
    (void)start();
    device.takes = 100;
    CHECK(cf_hal_call(0x40000010, data, 1000, &call) == 0 && call.end - call.start == 100);
    CHECK(no_alarm() && !device.masked);
    device.takes = 2000;
    CHECK(cf_hal_call(0x40000010, data, 1000, &call) == CF_FAULT_TIME_LIMIT);
    CHECK(no_alarm() && !device.masked);
}

/* What is left of one program's limit is not another one's. */
static void test_a_limit_is_for_one_call(void) {
    struct cf_call call;
    (void)start();
    device.takes = 100;
    CHECK(cf_hal_call(0x40000010, data, 1000, &call) == 0);
    device.takes = 5000;
    CHECK(cf_hal_call(0x40000010, data, 10000, &call) == 0);
    for (uint32_t i = 0; i < 10; i++) { /* it comes and goes */
        CHECK(cf_hal_wait(CF_NEVER) == 0 && !device.masked);
    }
    device.takes = 5000;
    CHECK(cf_hal_call(0x40000010, data, 10000, &call) == 0);
}

/* An interrupt of the clock that comes early sets the alarm again. */
static void test_early_interrupt(void) {
    struct cf_call call;
    (void)start();
    device.takes = 2000;
    device.earliest = device.time + 10;
    device.clock_interrupts = device.completed = 0;
    CHECK(cf_hal_call(0x40000010, data, 1000, &call) == CF_FAULT_TIME_LIMIT);
    CHECK(no_alarm() && device.clock_interrupts == 2 && device.completed == 2);
}

/* The link looks once more for what a tick has left it, and sleeps no more for that. */
static void forget_tick(void) {
    device.awake = true;
    (void)cf_hal_wait(CF_NEVER);
    device.awake = false;
}

/* Starts a loop that is due after so many counts. */
static struct cf_loop *start_loop(uint64_t ahead, uint64_t period) {
    struct cf_loop *l = cf_board.platform.loop;
    (void)start();
    forget_tick();
    device.ticks = 0;
    device.takes = 100;
    device.period = period;
    l->period = (cf_number)period;
    l->limit = (cf_number)(4 * period);
    l->due = (cf_moment)(device.time + ahead);
    l->count[CF_LOOP_END] = CF_LOOP_END_NONE;
    cf_hal_loop_start(l);
    return l;
}

/* The link sleeps until shortly before a tick, which begins when it is due and not a look at the clock later, and so does the next. */
static void test_ticks(void) {
    struct cf_loop *l = start_loop(2000, 1000);
    const uint64_t due = whole(l->due);
    CHECK(cf_hal_guard() == CLOCK_HZ >> 15 && device.alarm == due - cf_hal_guard() && !device.masked);
    for (uint32_t i = 1; i <= 5; i++) {
        CHECK(cf_hal_wait(CF_NEVER) == 0 && device.ticks == i && device.late <= 1);
        CHECK(cf_hal_wait(CF_NEVER) == 0 && device.ticks == i); /* the link looks once more for what the tick has left it */
        CHECK(whole(l->due) == due + i * 1000 && device.alarm == due + i * 1000 - cf_hal_guard());
    }
    cf_hal_loop_stop();
    CHECK(no_alarm());
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(cf_hal_wait((cf_moment)device.time + 5000) == 0 && device.ticks == 5 && !device.masked);
    }
}

/* The one that is nearer has the clock, and the other one has it back. */
static void test_deadlines_beside_ticks(void) {
    struct cf_loop *l = start_loop(2000, 1000);
    const uint64_t wake = whole(l->due) - cf_hal_guard();
    const uint64_t at = device.time + 500;
    if (!CF_SMALL) {
        CHECK(cf_hal_wait((cf_moment)at) == 0 && device.time >= at && device.time < at + 100 && device.ticks == 0 && device.alarm == wake);
    }
    CHECK(cf_hal_wait((cf_moment)wake + 10) == 0 && device.ticks == 1);
    CHECK(device.alarm == whole(l->due) - cf_hal_guard());
    cf_hal_loop_stop();
}

/* What a tick calls may take its own time and no more. */
static void test_calls_in_ticks(void) {
    struct cf_call call;
    (void)start_loop(2000, 1000);
    CHECK(cf_hal_wait(CF_NEVER) == 0 && device.ticks == 1);
    cf_hal_loop_stop();
    device.takes = 2000;
    CHECK(cf_hal_loop_call(0x40000010, data, 500, &call) == CF_FAULT_TIME_LIMIT && call.end - call.start >= 2000);
    CHECK(no_alarm() && cf_hal_loop_check(&call.fault) == 0);
}

/* Bytes that come while a tick is waited for are taken, but not right before it: that is longer than the taking. */
static void test_bytes_before_a_tick(void) {
    uint8_t got[8];
    (void)start_loop(2000, 1000);
    device.held = 0;
    receive("abc"); /* too few for an interrupt */
    CHECK(cf_hal_wait(CF_NEVER) == 0 && device.ticks == 1);
    CHECK(cf_hal_rx(got, sizeof got) == 3 && device.spins >= cf_hal_guard() / 2);
    cf_hal_loop_stop();
}

/* However busy the loop is, between two of its ticks the link has a while. */
static void test_busy_loop(void) {
    struct cf_loop *l = start_loop(2000, 1000);
    device.takes = 995;
    CHECK(cf_hal_wait(CF_NEVER) == 0 && device.ticks == 1);
    CHECK(device.alarm >= device.time + cf_hal_guard() - 5 && device.alarm <= device.time + cf_hal_guard() && whole(l->due) > device.time);
    cf_hal_loop_stop();
}

/* A loop that ends by itself leaves no alarm. */
static void test_end_of_a_loop(void) {
    (void)start_loop(2000, 0);
    CHECK(cf_hal_wait(CF_NEVER) == 0 && device.ticks == 1 && no_alarm());
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(cf_hal_wait((cf_moment)device.time + 5000) == 0 && device.ticks == 1);
    }
}

/* It starts with the loop that asks for it, has what the link feeds it if a tick has ended meanwhile, and ends with the loop; with none,
 * the link feeds it in any case, and the clock where the link has something else to do. */
static void test_watchdog(void) {
    uint8_t byte;
    struct cf_call call;
    struct cf_loop *l = cf_board.platform.loop;
    l->tick = 0;
    l->watchdog = 0;
    l = start_loop(2000, 1000);
    device.dog[0] = 0;
    cf_hal_tx(&byte, 1);
    CHECK(told("f") && cf_hal_wait(CF_NEVER) == 0 && device.ticks == 1 && told("f"));
    cf_hal_loop_stop();
    CHECK(told("") && cf_hal_rx(&byte, 1) == 0 && told("f"));

    CHECK(cf_hal_watchdog(9) == -CF_ERR_BAD_LENGTH && cf_hal_watchdog(21) == -CF_ERR_BAD_LENGTH);
    CHECK(cf_hal_watchdog(10) == 30 && cf_hal_watchdog(20) == 60);
    l->watchdog = (uint32_t)cf_hal_watchdog(15);
    l->tick = l->fed = 0;
    l->due = (cf_moment)device.time + 2000;
    cf_hal_loop_start(l);
    forget_tick();
    CHECK(told("s") && cf_hal_rx(&byte, 1) == 0 && told(""));
    device.ticks = 0;
    device.earliest = device.time + 100; /* an early alarm is no sign of life */
    CHECK(cf_hal_wait(CF_NEVER) == 0 && device.ticks == 0 && told(""));
    CHECK(cf_hal_wait(CF_NEVER) == 0 && device.ticks == 1 && told(""));
    cf_hal_tx(&byte, 1);
    CHECK(told("f"));
    cf_hal_tx(&byte, 1);
    CHECK(cf_hal_rx(&byte, 1) == 0 && told("") && cf_hal_wait(CF_NEVER) == 0);
    while (device.ticks < 4) {
        CHECK(cf_hal_wait(CF_NEVER) == 0 && told(""));
    }
    CHECK(cf_hal_rx(&byte, 1) == 0 && told("f"));
    cf_hal_loop_stop();
    CHECK(told("e"));

    device.takes = 900;
    device.earliest = device.time + 100; /* in a long run */
    CHECK(cf_hal_call(0x40000010, data, 1000, &call) == 0 && told("f"));
    device.takes = 100;
    cf_watchdog_init();
    CHECK(told("e"));
}

/* STATUS tells what the runner did wrong before its last start, not what it did before an earlier one. */
static void test_boot_fault(void) {
    const struct cf_fault fault = {CF_FAULT_MEMORY, 1, 2, 3};
    (void)start();
    CHECK(cf_hal_boot_fault() == NULL);
    cf_platform_life.fault = fault;
    if (setjmp(device.restart) == 0) {
        cf_platform_fatal();
    }
    (void)start();
    CHECK(cf_hal_boot_fault() != NULL && memcmp(cf_hal_boot_fault(), &fault, sizeof fault) == 0);
    (void)start();
    CHECK(cf_hal_boot_fault() == NULL);
}

/* Where nothing else differs between starts, what lies in RAM does, and the sum goes on. */
static void test_nonce(void) {
    (void)start();
    const uint32_t first = cf_hal_nonce();
    device.time = 0;
    const uint32_t second = cf_hal_nonce();
    device.time = 0;
    const uint32_t third = cf_hal_nonce();
    data[17]++;
    device.time = 0;
    const uint32_t fourth = cf_hal_nonce();
    CHECK(first != second && second != third && third - second != fourth - third);
}

/* usage: platform [BEGIN], the clock's first moment */
int main(int argc, char **argv) {
    device.time = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    test_start();
    test_start_without_oscillator();
    test_rate_keeps_bytes();
    test_impossible_rate();
    test_overruns_are_counted();
    test_wait();
    test_until();
    test_call();
    test_a_limit_is_for_one_call();
    test_early_interrupt();
    test_ticks();
    test_deadlines_beside_ticks();
    test_calls_in_ticks();
    test_bytes_before_a_tick();
    test_busy_loop();
    test_end_of_a_loop();
    test_watchdog();
    test_boot_fault();
    test_nonce();
    return 0;
}
