/* platform/platform.c on a board whose devices are variables: what every board does alike, case by case. */
#include "bench.h"

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
    CHECK(p == &cf_board.platform && strncmp(p->about, "bench\ncopaflash ", 16) == 0 && p->about_length == strlen(p->about));
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

/* That of the next start, with a host that speaks at this moment. */
static uint32_t nonce_at(uint64_t moment) {
    (void)start();
    memset(data + 64, 0x5a, 64); /* a stored program, the same each time */
    device.time = moment;
    const uint32_t nonce = cf_hal_nonce();
    memset(data + 64, 0, 64);
    return nonce;
}

/* Where nothing else differs between starts the sum goes on. Beside it the moment counts, the chip's generator, and what lay in RAM
 * before anything was loaded. */
static void test_nonce(void) {
    const uint32_t first = nonce_at(0);
    const uint32_t second = nonce_at(0);
    const uint32_t step = second - first;
    CHECK(step != 0 && nonce_at(0) == second + step);
    CHECK(nonce_at(1) == second + 2 * step + 1);
    device.noise = 0x1234567;
    CHECK(nonce_at(0) == second + 3 * step + 1 + 0x1234567);
    device.noise = 0;
    data[17]++;
    CHECK(nonce_at(0) != second + 4 * step + 1 + 0x1234567);
}

/* A board tells of what its core, its start and its chip know, as it is at that moment. */
static void test_conditions(void) {
    (void)start();
    CHECK(cf_hal_conditions() == (CF_CONDITION_UNCONFINED | CF_CONDITION_INTERNAL_CLOCK));
    device.conditions = CF_CONDITION_THROTTLED;
    CHECK(cf_hal_conditions() == (CF_CONDITION_UNCONFINED | CF_CONDITION_INTERNAL_CLOCK | CF_CONDITION_THROTTLED));
    device.conditions = 0;
}

/* A stored program is held back by a button that is down for the first 20 ms, and by nothing else, however late the board looks. */
static void test_held(void) {
    (void)start();
    for (device.stall = 0; device.stall <= 30000; device.stall += 15000) {
        const uint64_t begin = device.time;
        device.let_go = NEVER;
        device.button = 0xfa;
        CHECK(cf_hal_store_held() && !device.masked && device.time - begin >= 20000);
        device.button = 0xfc;
        CHECK(!cf_hal_store_held());
        device.button = 0xfa;
        device.let_go = device.time + device.stall + 100; /* before its second look, if there is one */
        CHECK(device.stall > 20000 || !cf_hal_store_held());
        device.let_go = 0;
        CHECK(!cf_hal_store_held());
    }
    device.stall = 0;
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
    test_conditions();
    test_held();
    return 0;
}
