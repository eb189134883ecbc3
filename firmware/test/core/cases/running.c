/* RUN: programs, periods, what a runner hears meanwhile, faults. */
#include <string.h>

#include "cases.h"
#include "../wire.h"

/* Counts that a run may take at most. */
#define LONGEST (CF_RUN_LIMIT_S * TIMER_HZ)

static void test_run(void) {
    const struct answer *a;

    start_with(PROGRAM_RETURN);
    a = run(0, 3, 0, 500);
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(bench.calls, 3);
    CHECK_EQUAL(bench.last_limit, 500);
    CHECK_EQUAL(runs_of(a)->ended, 3);
    CHECK_EQUAL(runs_of(a)->total, 33);
    CHECK_EQUAL(runs_of(a)->min.wide, 10);
    CHECK_EQUAL(runs_of(a)->max.wide, 12);
    CHECK_EQUAL(runs_of(a)->late, 0);
    CHECK_EQUAL(runs_of(a)->sticky, 0);
    CHECK(a->field[CF_KEY_RUN_RSP_FAULT].at == NULL);
    a = samples(4, 8);
    CHECK_EQUAL(a->field[2].type, CF_CBOR_BYTES);
    CHECK_EQUAL(a->field[2].value, 8);
    CHECK_EQUAL(load32(a->field[2].at), 12);
    CHECK_EQUAL(load32(a->field[2].at + 4), 10);
    CHECK(a->field[CF_KEY_READ_RSP_TICK].at == NULL);
    a = samples(3, 2); /* one byte of each of two */
    CHECK_EQUAL(a->field[2].value, 2);
    expect_hex(a->field[2].at, "000c");
    CHECK_EQUAL(samples(12, 0)->status, CF_OK);
    CHECK_EQUAL(samples(12, 1)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(samples(4, 9)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(samples(13, 0)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(samples(0xffffffff, 0xffffffff)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(samples(0x40000001, 4)->status, CF_ERR_OUT_OF_RANGE);

    CHECK_EQUAL(runs_of(run(1, 1, 0, 0))->sticky, 3);
    CHECK_EQUAL(bench.last_limit, LONGEST);
    CHECK_EQUAL(runs_of(run(0, 1, 0, 0))->sticky, 0); /* cleared at the start */

    CHECK_EQUAL(runs_of(run(0, SAMPLES + 12, 0, 0))->ended, SAMPLES + 12); /* more than samples */
    CHECK_EQUAL(samples(0, 4 * SAMPLES)->status, CF_OK);
    CHECK_EQUAL(samples(0, 4 * SAMPLES + 1)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("uubu", U(CF_MSG_WRITE), U(0), "abcd", 4u, U(CF_REGION_SAMPLES))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(load32(samples(0, 4)->field[2].at), 10);
    CHECK_EQUAL(run(2, 1, 0, 0)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(run(0, 0, 0, 0)->status, CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(state(), CF_STATE_READY);
}

/* A single run is deaf for no longer than this. */
static void test_limits(void) {
    static const uint32_t too_long[] = {LONGEST + 1, 0x7fffffff, 0xffffffff};

    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(run(0, 1, 0, LONGEST)->status, CF_OK);
    CHECK_EQUAL(bench.last_limit, LONGEST);
    uint32_t calls = bench.calls;
    for (uint32_t i = 0; i < sizeof too_long / sizeof too_long[0]; i++) {
        CHECK_EQUAL(run(0, 1, 0, too_long[i])->status, CF_ERR_BAD_LENGTH);
        CHECK_EQUAL(run(0, 5, 0, too_long[i])->status, CF_ERR_BAD_LENGTH);
    }
    /* Nothing is left of what 32 bits do not hold. */
    CHECK_EQUAL(ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(1), U(0), U(0), U(1) << 32, U(0))->status, CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(bench.calls, calls);
    CHECK_EQUAL(state(), CF_STATE_READY);
    bench.timer_hz = 150000000;
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
    CHECK_EQUAL(bench.last_limit, 1500000000);
    CHECK_EQUAL(run(0, 1, 0, 1500000000)->status, CF_OK);
    CHECK_EQUAL(run(0, 1, 0, 1500000001)->status, CF_ERR_BAD_LENGTH);
    bench.timer_hz = 400000000; /* for ten seconds of that, moments of 32 bits are too short */
    const uint32_t longest = CF_FAST ? 0x7fffffffu : 4000000000u;
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
    CHECK_EQUAL(bench.last_limit, longest);
    CHECK_EQUAL(run(0, 1, 0, longest)->status, CF_OK);
    CHECK_EQUAL(run(0, 1, 0, longest + 1)->status, CF_ERR_BAD_LENGTH);
    bench.timer_hz = TIMER_HZ;
}

static void test_periods(void) {
    start_with(PROGRAM_RETURN);
    uint64_t began = bench.now;
    CHECK_EQUAL(runs_of(run(0, 4, 1000, 0))->late, 0);
    CHECK_EQUAL(bench.now, began + 3000 + 11); /* the fourth call takes 11 */

    /* Marks do not drift: a period is 1234.5625 counts, and the smallest part of one counts. */
    began = bench.now;
    ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(1601), U(1234), U(0x90000000), U(0), U(0));
    CHECK_EQUAL(bench.now - began - (10 + bench.calls % 3), 1975300);
    began = bench.now;
    CHECK_EQUAL(runs_of(ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(4), U(0), U(1), U(0), U(0)))->late, 3);

    /* Periods shorter than the runs: each but the first is late, none is skipped. */
    began = bench.now;
    const struct answer *a = run(0, 9, 5, 0);
    CHECK_EQUAL(runs_of(a)->late, 8);
    CHECK_EQUAL(runs_of(a)->ended, 9);
    CHECK_EQUAL(bench.now - began, 9 * 11);
}

/* Sends a RUN and nothing more. The host may be silent for so many counts. */
static void start_run_silent(uint16_t seq, uint32_t count, uint32_t period, uint32_t silence) {
    uint8_t bytes[32], wire[64];
    uint32_t n = body(bytes, sizeof bytes, "uuuuuuu", U(CF_MSG_RUN), U(0), U(count), U(period), U(0), U(0), U(silence));

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, CF_PROTOCOL_VERSION, bench.core.link.session, seq, bytes, n));
}

static void start_run(uint16_t seq, uint32_t count, uint32_t period) {
    start_run_silent(seq, count, period, 0);
}

/* Sends HELLO and nothing more. */
static const struct answer *knock(uint32_t nonce) {
    uint8_t bytes[32], wire[64];
    uint32_t n = body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), U(CF_PROTOCOL_VERSION), U(nonce));

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, CF_PROTOCOL_VERSION, 0, 0, bytes, n));
    return answered();
}

static void test_a_long_run_hears_hello(void) {
    const struct answer *a;

    start_with(PROGRAM_RETURN);
    start_run(next_seq, 5000, 0);
    cf_core_poll(&bench.core);
    CHECK(bench.calls > 600 && bench.calls < 800); /* a slice of 7.8 ms at 11 us each */
    CHECK(!answered()->present);
    start_run(next_seq, 5000, 0); /* the host asks again */
    CHECK_EQUAL(bench.core.job.runs.ended, bench.calls);
    a = knock(1); /* or asks whether there is anybody */
    CHECK_EQUAL(now_of(a, NOW_STATE), CF_STATE_RUNNING);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_DIGEST].value, CF_DIGEST_LENGTH);
    CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
    for (int i = 0; i < 7; i++) {
        cf_core_poll(&bench.core);
    }
    a = answered();
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->seq, next_seq);
    CHECK_EQUAL(runs_of(a)->ended, 5000);
    start_run(next_seq, 5000, 0); /* an answer that was lost */
    CHECK_EQUAL(runs_of(answered())->ended, 5000);
    CHECK_EQUAL(bench.calls, 5000);

    /* A new host ends the run of the one before; the program stays. */
    start_run((uint16_t)(next_seq + 1), 0xffffffff, 0);
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
    CHECK_EQUAL(now_of(knock(2), NOW_STATE), CF_STATE_READY);
    uint32_t calls = bench.calls;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.calls, calls);
    CHECK(!answered()->present);
    next_seq = 1;
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
}

/* What has arrived behind a RUN of one run is taken after it, however close it is. */
static void test_requests_behind_a_run(void) {
    start_with(PROGRAM_RETURN);
    for (uint32_t before = 0; before < CF_RECEIVE_BATCH; before++) {
        static const uint8_t once[] = {0xa5, 0x00, CF_MSG_RUN, 0x01, 0x00, 0x02, 0x01, 0x03, 0x00, 0x04, 0x00};
        static const uint8_t shortest[] = {0xa1, 0x00, CF_MSG_STATUS};
        uint32_t n = before; /* delimiters, so that RUN ends everywhere in what is taken at once */
        bench.rx = realloc(bench.rx, 256);
        memset(bench.rx, 0, n);
        n += frame(bench.rx + n, CF_KIND_REQ, CF_PROTOCOL_VERSION, bench.core.link.session, next_seq++, once, sizeof once);
        n += frame(bench.rx + n, CF_KIND_REQ, CF_PROTOCOL_VERSION, bench.core.link.session, next_seq++, shortest, sizeof shortest);
        bench.rx_length = n;
        while (bench.rx_length > 0) {
            CHECK_EQUAL(cf_core_poll(&bench.core), 0);
        }
        CHECK_EQUAL(answered()->seq, next_seq - 2);
        CHECK_EQUAL(answered()->seq, next_seq - 1);
    }
}

static void test_a_long_period_is_slept_through(void) {
    start_with(PROGRAM_RETURN);
    uint64_t began = bench.now;
    start_run(next_seq, 2, 1000000);
    cf_core_poll(&bench.core); /* the first run, at once */
    CHECK_EQUAL(bench.calls, 1);
    if (CF_SMALL) {
        CHECK_EQUAL(bench.waits, 0); /* it stays awake */
    } else {
        CHECK(bench.last_deadline > began && bench.last_deadline <= began + 10000); /* then a slice at a time */
    }
    CHECK_EQUAL(now_of(knock(1), NOW_STATE), CF_STATE_RUNNING);
    while (bench.core.state == CF_STATE_RUNNING) {
        CHECK(bench.now <= began + 1000000 + 12);
        cf_core_poll(&bench.core);
    }
    CHECK_EQUAL(runs_of(answered())->ended, 2);
    CHECK_EQUAL(bench.now, began + 1000000 + 12);
}

/* However much noise there is, a HELLO among it is heard within a slice. */
static void test_noise_during_a_run(void) {
    uint8_t hello_body[32];
    uint32_t n = body(hello_body, sizeof hello_body, "uuu", U(CF_MSG_HELLO), U(CF_PROTOCOL_VERSION), U(2));

    for (uint32_t noise = 0; noise < 2048; noise += 61) {
        start_with(PROGRAM_RETURN);
        start_run(next_seq, 0xffffffff, 0);
        cf_core_poll(&bench.core);
        bench.rx = realloc(bench.rx, noise + 128);
        for (uint32_t i = 0; i < noise; i++) {
            bench.rx[i] = (uint8_t)(i * 37 + noise);
        }
        bench.rx[noise] = 0;
        bench.rx_length = noise + 1 + frame(bench.rx + noise + 1, CF_KIND_REQ, CF_PROTOCOL_VERSION, 0, 0, hello_body, n);
        cf_core_poll(&bench.core);
        CHECK_EQUAL(bench.core.state, CF_STATE_READY);
        CHECK_EQUAL(answered()->status, CF_OK);
        bench.rx_length = 0;
    }
}

/* A line that brings more than the runner takes does not stop a RUN. */
static void test_a_flood_during_a_run(void) {
    start_with(PROGRAM_RETURN);
    start_run(next_seq, 5000, 0);
    cf_core_poll(&bench.core);
    uint32_t calls = bench.calls;
    bench.rx = realloc(bench.rx, 1 << 20);
    memset(bench.rx, 0x55, 1 << 20);
    bench.rx_length = 1 << 20;
    cf_core_poll(&bench.core);
    CHECK(bench.calls > calls);
    CHECK(bench.rx_length > 0);
    bench.rx_length = 0;
}

/* A host that said how long it would be silent at most, and is gone. */
static void test_a_host_that_is_gone(void) {
    const struct answer *a;
    static const uint32_t periods[] = {0, 1000, 10000000}; /* runs back to back, with gaps, and hardly ever */

    for (uint32_t i = 0; i < sizeof periods / sizeof periods[0]; i++) {
        start_with(PROGRAM_RETURN);
        uint64_t began = bench.now;
        start_run_silent(next_seq, 0xffffffff, periods[i], 3000000);
        while (bench.core.state == CF_STATE_RUNNING) {
            CHECK(bench.now - began < 3000000 + 20000);
            cf_core_poll(&bench.core);
        }
        CHECK(bench.now - began >= 3000000);
        a = answered();
        CHECK_EQUAL(a->status, CF_ERR_SILENCE);
        CHECK_EQUAL(a->seq, next_seq);
        CHECK_EQUAL(runs_of(a)->ended, bench.calls);
        CHECK(a->field[CF_KEY_RUN_RSP_FAULT].at == NULL);
        start_run_silent(next_seq, 0xffffffff, periods[i], 3000000); /* it was there after all: the answer again */
        CHECK_EQUAL(answered()->status, CF_ERR_SILENCE);
        next_seq++;
        CHECK_EQUAL(state(), CF_STATE_READY);
        CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
        bench.calls = 0;
    }
}

/* Any good frame says that the host is there; so it may repeat its RUN. Noise does not. */
static void test_a_host_that_stays(void) {
    start_with(PROGRAM_RETURN);
    start_run_silent(next_seq, 0xffffffff, 0, 3000000);
    for (uint32_t i = 0; i < 10; i++) {
        for (uint64_t until = bench.now + 2900000; bench.now < until;) {
            cf_core_poll(&bench.core);
            CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
        }
        start_run_silent(next_seq, 0xffffffff, 0, 3000000);
        CHECK(!answered()->present);
    }
    for (uint64_t until = bench.now + 2900000; bench.now < until;) {
        cf_core_poll(&bench.core);
    }
    CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
    cf_core_feed(&bench.core, (const uint8_t *)"noise\0noise", 12);
    for (uint64_t until = bench.now + 200000; bench.now < until && bench.core.state == CF_STATE_RUNNING;) {
        cf_core_poll(&bench.core);
    }
    CHECK_EQUAL(bench.core.state, CF_STATE_READY);

    /* One that has not said so may be silent for ever, also when it says 0. */
    const uint32_t longest = CF_SMALL ? (UINT32_C(1) << CF_LOOP_TIME_BITS % 32) - 1u : UINT32_MAX; /* period */
    for (uint32_t i = 0; i < 2; i++) {
        start_with(PROGRAM_RETURN);
        if (CF_SMALL) {
            CHECK_EQUAL(ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(2), U(longest + 1u), U(0), U(0), U(0))->status, CF_ERR_BAD_LENGTH);
        }
        start_run_silent(next_seq, 2, longest, 0);
        if (i == 1) {
            start_run(next_seq, 2, longest);
        }
        while (bench.core.state == CF_STATE_RUNNING) {
            cf_core_poll(&bench.core);
        }
        CHECK_EQUAL(answered()->status, CF_OK);
    }
}

/* A run takes longer than the host may be silent: what it has sent meanwhile counts. */
static void test_a_run_longer_than_the_silence(void) {
    start_with(PROGRAM_SLOW);
    start_run_silent(next_seq, 5, 0, 500000);
    for (uint32_t i = 0; i < 4; i++) {
        cf_core_poll(&bench.core); /* a second */
        CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
        start_run_silent(next_seq, 5, 0, 500000);
    }
    cf_core_poll(&bench.core);
    CHECK_EQUAL(answered()->status, CF_OK);
    next_seq++;
    start_run_silent(next_seq, 5, 0, 500000);
    cf_core_poll(&bench.core);
    cf_core_poll(&bench.core);
    CHECK_EQUAL(answered()->status, CF_ERR_SILENCE);
}

static void test_silence_of_another_type(void) {
    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(ask("uuuuuub", U(CF_MSG_RUN), U(0), U(1), U(0), U(0), U(0), "ab", 2u)->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(1), U(0), U(0), U(0), U(1) << 32)->status, CF_SMALL ? CF_ERR_BAD_LENGTH : CF_OK);
    CHECK_EQUAL(bench.calls, CF_SMALL ? 0 : 1);
}

/* The line ends in the middle of a run. */
static void test_hang_up_while_running(void) {
    start_with(PROGRAM_RETURN);
    start_run(next_seq, 0xffffffff, 0);
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    bench.hung_up = 1;
    CHECK_EQUAL(cf_core_poll(&bench.core), CF_SMALL ? 0 : -1); /* a line that ends is no microcontroller's */
}

static void expect_fault(const struct answer *a, uint32_t key, uint64_t kind, uint64_t pc, int inside, uint64_t index) {
    const struct fault *f = fault_of(a, key);

    CHECK_EQUAL(f->kind, kind);
    CHECK_EQUAL(f->pc, pc);
    CHECK_EQUAL(f->address, 0x1234);
    CHECK_EQUAL(f->entry, 0);
    CHECK_EQUAL(f->run, index);
    CHECK_EQUAL(f->cause, 77);
    CHECK_EQUAL(f->inside, (unsigned)inside);
}

static void test_faults(void) {
    const struct answer *a;

    for (uint32_t kind = 1; kind <= CF_FAULT_OTHER; kind++) {
        start_with((enum program)kind);
        a = run(0, 5, 0, 0);
        CHECK_EQUAL(a->status, kind == CF_FAULT_TIME_LIMIT ? CF_ERR_TIME_LIMIT : CF_ERR_FAULT);
        CHECK_EQUAL(runs_of(a)->ended, 0);
        expect_fault(a, CF_KEY_RUN_RSP_FAULT, kind, 0, 1, 0);
        expect_fault(ask("u", U(CF_MSG_STATUS)), CF_KEY_STATUS_RSP_FAULT, kind, 0, 1, 0);
        CHECK_EQUAL(state(), CF_STATE_FAULTED);
        CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_ERR_BAD_STATE);
        CHECK_EQUAL(ask("uub", U(CF_MSG_WRITE), U(0), "", 0u)->status, CF_ERR_BAD_STATE);
        CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(0), U(4))->status, CF_OK);
        CHECK_EQUAL(samples(0, 0)->status, CF_OK);
        CHECK_EQUAL(ask("uubu", U(CF_MSG_WRITE), U(0), "", 0u, U(CF_REGION_SAMPLES))->status, CF_ERR_OUT_OF_RANGE);
    }
    start_with(PROGRAM_OUTSIDE);
    expect_fault(run(0, 1, 0, 0), CF_KEY_RUN_RSP_FAULT, CF_FAULT_MEMORY, 0x99, 0, 0);

    start_with(PROGRAM_TURNS);
    a = run(0, 5, 0, 0);
    CHECK_EQUAL(runs_of(a)->ended, 2);
    expect_fault(a, CF_KEY_RUN_RSP_FAULT, CF_FAULT_MEMORY, 0, 1, 2);
    CHECK_EQUAL(samples(0, 8)->status, CF_OK);
    CHECK_EQUAL(samples(0, 9)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_OK);
    a = ask("u", U(CF_MSG_STATUS)); /* tells of it until BEGIN */
    CHECK(fault_of(a, CF_KEY_STATUS_RSP_FAULT)->kind != 0);

    struct image m;
    image_make(&m, PROGRAM_RETURN);
    CHECK_EQUAL(load(&m)->status, CF_OK); /* recovers */
    CHECK(ask("u", U(CF_MSG_STATUS))->field[CF_KEY_STATUS_RSP_FAULT].at == NULL);
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
}

/* A fault of the runner itself, before its restart. */
static void test_boot_fault(void) {
    static const struct cf_fault fault = {CF_FAULT_ILLEGAL, 77, 0x10004, 0x1234};

    bench_start(PACKET);
    memset(&bench.core, 0, sizeof bench.core);
    bench.boot_fault = &fault;
    cf_core_init(&bench.core, &bench.platform);
    hello(1);
    expect_fault(ask("u", U(CF_MSG_STATUS)), CF_KEY_STATUS_RSP_FAULT, CF_FAULT_ILLEGAL, 0x10004, 0, 0);
}

const struct test tests_of_running[] = {
    TEST(run), TEST(periods), TEST(a_long_run_hears_hello), TEST(requests_behind_a_run), TEST(a_long_period_is_slept_through),
    TEST(limits), TEST(noise_during_a_run), TEST(a_flood_during_a_run), TEST(a_host_that_is_gone), TEST(a_host_that_stays),
    TEST(a_run_longer_than_the_silence), TEST(silence_of_another_type), TEST(hang_up_while_running), TEST(faults), TEST(boot_fault),
    {0},
};
