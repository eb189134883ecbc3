/* Long times: what lies further apart than a clock of 32 bits reaches, and the longest that are allowed. */
#include "cases.h"
#include "../wire.h"

#define FAST_HZ 180000000u /* the fastest microcontroller's: 24 s of 32 bits */

#define LONGEST ((U(1) << CF_LOOP_TIME_BITS) - 1u) /* time of a loop */

static uint32_t task(uint32_t offset, uint8_t *data) {
    (void)offset, (void)data;
    return 0;
}

/* Nothing happens while nothing is asked for, however long that is, and then all is as it was. */
static void test_hours_of_idling(void) {
    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(921600))->status, CF_OK);
    CHECK_EQUAL(state(), CF_STATE_READY);
    for (uint32_t i = 0; i < 10000; i++) {
        cf_core_poll(&bench.core);
        bench.now += 0x5fffffffu;
        cf_core_poll(&bench.core);
    }
    CHECK(bench.waits >= 20000);
    CHECK_EQUAL(bench.baud, 921600);
    CHECK(!answered()->present);
    CHECK_EQUAL(runs_of(run(0, 4, 1000, 0))->late, 0);
    bench.task = task;
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_OK);
    bench_tick(0);
    CHECK_EQUAL(stop()->count[CF_LOOP_TICKS], 1);
}

/* A new rate that no frame comes at is given up however late the link looks, up to half of 32 bits. */
static void test_a_rate_that_is_given_up_late(void) {
    bench_start(PACKET);
    hello(1);
    for (uint64_t late = 1; late < U(1) << 31; late *= 8) {
        CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(921600))->status, CF_OK);
        bench.now += 2 * TIMER_HZ - 1;
        cf_core_poll(&bench.core);
        CHECK_EQUAL(bench.baud, 921600);
        bench.now += late;
        cf_core_poll(&bench.core);
        CHECK_EQUAL(bench.baud, 115200);
    }
}

/* Ticks of a loop are exactly a period apart for as long as it runs; the limit is four of them, if that is not too long. */
static void test_long_periods_of_loops(void) {
    const uint64_t periods[] = {FAST_HZ / 2, LONGEST / 4, LONGEST / 4 + 1, LONGEST};

    for (uint32_t i = 0; i < sizeof periods / sizeof periods[0]; i++) {
        const uint64_t period = periods[i];
        const uint64_t limit = CF_SMALL && 4 * period > LONGEST ? LONGEST : 4 * period;
        start_with(PROGRAM_RETURN);
        bench.task = task;
        const struct answer *a = start(&(struct plan){.period = period});
        CHECK_EQUAL(a->status, CF_OK);
        uint64_t due = moment(a->field[CF_KEY_START_RSP_START].at);
        for (uint32_t n = 0; n < 50; n++) {
            CHECK_EQUAL(bench.next_tick, due);
            CHECK_EQUAL(state(), CF_STATE_TICKING);
            bench.cost = n % 2 == 0 ? 10 : (uint32_t)(period / 2 < UINT32_MAX ? period / 2 : UINT32_MAX);
            bench_tick(n);
            CHECK_EQUAL(bench.last_limit, limit);
            due += period;
        }
        bench.cost = (uint32_t)(limit < UINT32_MAX ? limit : UINT32_MAX);
        bench_tick(0);
        for (; due < bench.now; due += period) {
        }
        CHECK_EQUAL(bench.next_tick, due);
        CHECK_EQUAL(state(), CF_STATE_TICKING);
        if (limit < UINT32_MAX) {
            bench.cost++;
            bench_tick(0);
            CHECK_EQUAL(live()->count[CF_LOOP_END], CF_LOOP_END_TIME_LIMIT);
        } else {
            stop();
        }
    }
}

/* The host is silent for as long as it may be, and then for longer. */
static void test_long_silences_of_loops(void) {
    const uint64_t period = LONGEST / 3;

    start_with(PROGRAM_RETURN);
    bench.task = task;
    CHECK_EQUAL(start(&(struct plan){.period = period, .silence = LONGEST})->status, CF_OK);
    for (uint32_t n = 0; n < 20; n++) {
        for (uint32_t i = 0; i < 3; i++) {
            bench_tick(0);
            CHECK(bench.next_tick != UINT64_MAX);
        }
        CHECK_EQUAL(state(), CF_STATE_TICKING);
    }
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(bench.next_tick != UINT64_MAX);
        bench_tick(0);
    }
    bench.next_tick == UINT64_MAX ? (void)0 : bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_END], CF_LOOP_END_SILENCE);
}

/* Runs that take nearly as long as they may, one after the other, and one in each of the longest periods. */
static void test_long_runs(void) {
    start_with(PROGRAM_SLOW);
    bench.timer_hz = FAST_HZ;
    bench.slow = U(FAST_HZ) * 9 + FAST_HZ / 2;
    uint64_t began = bench.now;
    const struct cf_runs *r = runs_of(run(0, 20, 0, 0));
    CHECK_EQUAL(bench.last_limit, U(FAST_HZ) * 10);
    CHECK_EQUAL(r->ended, 20);
    CHECK(bench.now - began >= 20 * bench.slow && bench.now - began < 20 * bench.slow + FAST_HZ);
    CHECK_EQUAL(r->late, 0);

    const uint32_t period = FAST_HZ / 10 * 59;
    began = bench.now;
    r = runs_of(run(0, 4, period, 0));
    CHECK_EQUAL(r->late, 3);
    bench.slow = 1000;
    began = bench.now;
    r = runs_of(run(0, 20, period, 0));
    CHECK_EQUAL(r->late, 0);
    CHECK(bench.now - began >= U(period) * 19 && bench.now - began < U(period) * 19 + 2000);
}

/* Runs go on for as long as their host may be silent, and end soon after, whether they are short or long. */
static void test_long_silences_of_runs(void) {
    static const uint32_t seconds[] = {2, 6, 9, 11};
    uint8_t bytes[64], wire[128];

    for (uint32_t i = 0; i < 2 * sizeof seconds / sizeof seconds[0]; i++) {
        const uint64_t silence = U(seconds[i / 2]) * FAST_HZ;
        start_with(PROGRAM_SLOW);
        bench.timer_hz = FAST_HZ;
        bench.slow = i % 2 == 0 ? FAST_HZ / 1000 : U(FAST_HZ) * 10 - 100;
        const uint32_t n = frame(wire, CF_KIND_REQ, CF_PROTOCOL_VERSION, bench.core.link.session, next_seq, bytes,
                                 body(bytes, sizeof bytes, "uuuuuuu", U(CF_MSG_RUN), U(0), U(0xffffffff), U(0), U(0), U(0), silence));
        for (uint32_t times = 0; times < 5; times++) { /* the host asks again before its silence is over */
            cf_core_feed(&bench.core, wire, n);
            const uint64_t until = bench.now + silence - FAST_HZ;
            do {
                CHECK_EQUAL(cf_core_poll(&bench.core), 0);
                CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
            } while (bench.now < until && bench.now + bench.slow < until);
        }
        cf_core_feed(&bench.core, wire, n);
        const uint64_t heard = bench.now;
        while (bench.core.state == CF_STATE_RUNNING) {
            CHECK(bench.now < heard + silence + bench.slow + FAST_HZ / 64);
            (void)cf_core_poll(&bench.core);
        }
        CHECK(bench.now >= heard + silence);
        CHECK_EQUAL(answered()->status, CF_ERR_SILENCE);
        next_seq++;
    }
}

/* A silence of 2^31 ticks and more is refused where moments have 32 bits. */
static void test_longer_silences_of_runs(void) {
    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(1), U(0), U(0), U(0), U(INT32_MAX))->status, CF_OK);
    CHECK_EQUAL(ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(1), U(0), U(0), U(0), U(INT32_MAX) + 1)->status, CF_SMALL ? CF_ERR_BAD_LENGTH : CF_OK);
}

const struct test tests_of_moments[] = {
    TEST(hours_of_idling), TEST(a_rate_that_is_given_up_late), TEST(long_periods_of_loops), TEST(long_silences_of_loops),
    TEST(long_runs), TEST(long_silences_of_runs), TEST(longer_silences_of_runs), {0},
};
