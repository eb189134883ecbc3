/* The tick engine: phase, misses, ends, figures. */
#include <stdlib.h>
#include <string.h>

#include "../wire.h"
#include "cases.h"

/* Data: word 0 the flags, 1 counts calls, 2 is the offset of the entry that ran last, 3 faults when it is a kind. */
static uint32_t counting(uint32_t offset, uint8_t *data) {
    cf_store32(data + 4, load32(data + 4) + 1);
    cf_store32(data + 8, offset);
    return load32(data + 12);
}

static void test_start_and_stop(void) {
    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(ask("u", U(CF_MSG_LIVE))->status, CF_ERR_BAD_STATE); /* there has been none */
    CHECK_EQUAL(ask("u", U(CF_MSG_STOP))->status, CF_ERR_BAD_STATE);
    bench.task = counting;
    bench.now = 0x100000000u;
    const struct answer *a = start(&(struct plan){.period = 1000});
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->field[CF_KEY_START_RSP_START].value, 8);
    CHECK_EQUAL(load32(a->field[CF_KEY_START_RSP_START].at + 4), !CF_SMALL);
    const uint64_t due = moment(a->field[CF_KEY_START_RSP_START].at);
    CHECK_EQUAL(due, 0x100000000u + (TIMER_HZ >> 9));
    CHECK_EQUAL(state(), CF_STATE_TICKING);
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(1), U(0), U(0), U(0), U(0))->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(samples(0, 0)->status, CF_ERR_BAD_STATE); /* their memory is that of telemetry */
    CHECK_EQUAL(ask("uub", U(CF_MSG_WRITE), U(0), "1234", 4u)->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(bench.next_tick, due);
    for (uint32_t i = 1; i <= 5; i++) {
        bench_tick(0);
        CHECK_EQUAL(bench.next_tick, due + 1000 * i);
    }
    const struct told *t = live();
    CHECK_EQUAL(t->count[CF_LOOP_TICKS], 5);
    CHECK_EQUAL(t->count[CF_LOOP_END], CF_LOOP_END_NONE);
    CHECK_EQUAL(t->start, due);
    t = stop();
    CHECK(!bench.ticking);
    CHECK_EQUAL(t->count[CF_LOOP_END], CF_LOOP_END_STOPPED);
    CHECK_EQUAL(stop()->count[CF_LOOP_TICKS], 5); /* also after the end */
    CHECK_EQUAL(state(), CF_STATE_READY);
    CHECK_EQUAL(get_data(4, NULL), 5);
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_OK); /* and once more */
    CHECK_EQUAL(live()->count[CF_LOOP_TICKS], 0);
    bench_tick(0);
    stop();
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_OK);
    CHECK_EQUAL(ask("u", U(CF_MSG_LIVE))->status, CF_ERR_BAD_STATE);
}

static void test_bad_starts(void) {
    static const struct {
        struct plan plan;
        int32_t status;
    } rows[] = {
        {{.period = 0}, CF_ERR_BAD_LENGTH},
        {{.period = U(1) << 40}, CF_ERR_BAD_LENGTH},
        {{.period = 1000, .limit = U(1) << 40}, CF_ERR_BAD_LENGTH},
        {{.period = 1000, .tasks = {2, 1}, .task_words = 2}, CF_ERR_OUT_OF_RANGE},
        {{.period = 1000, .tasks = {0, 0}, .task_words = 2}, CF_ERR_BAD_LENGTH},
        {{.period = 1000, .tasks = {0, 1, 1}, .task_words = 3}, CF_ERR_BAD_LENGTH},
        {{.period = 1000, .safe = LIVE_SIZE}, CF_ERR_OUT_OF_RANGE},
        {{.period = 1000, .safe = 6}, CF_ERR_OUT_OF_RANGE},
        {{.period = 1000, .safe = 0xfffffffc}, CF_ERR_OUT_OF_RANGE},
        {{.period = 1000, .histograms = LIVE_SIZE}, CF_ERR_OUT_OF_RANGE},
        {{.period = 1000, .histograms = 4}, CF_ERR_OUT_OF_RANGE}, /* of no buckets */
        {{.period = 1000, .histograms = 8}, CF_ERR_OUT_OF_RANGE}, /* of more than there is room for */
        {{.period = 1000, .histograms = 12}, CF_ERR_OUT_OF_RANGE}, /* of so many that their bytes wrap */
    };
    uint32_t many[2 * (CF_MAX_ENTRIES + 1)] = {0};

    start_with(PROGRAM_RETURN);
    PUT(4, 0, LIVE_SIZE / 12, 0x15555556);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_EQUAL(start(&rows[i].plan)->status, rows[i].status);
        CHECK(!bench.ticking);
        CHECK_EQUAL(state(), CF_STATE_READY);
        CHECK_EQUAL(ask("u", U(CF_MSG_LIVE))->status, CF_ERR_BAD_STATE);
    }
    for (uint32_t i = 0; i < CF_MAX_ENTRIES + 1; i++) {
        many[2 * i + 1] = 1;
    }
    CHECK_EQUAL(ask("uuuuauuuu", U(CF_MSG_START), U(9), U(0), U(0), many, 2u * CF_MAX_ENTRIES + 2u, U(0), U(0), U(0), U(0))->status, CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(ask("uuuuauuuu", U(CF_MSG_START), U(9), U(0), U(0), many, 0u, U(0), U(0), U(0), U(0))->status, CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(ask("uuuuauuuub", U(CF_MSG_START), U(9), U(0), U(0), many, 2u, U(0), U(0), U(0), U(0), "", 0u)->status, CF_ERR_BAD_MESSAGE);
    const int32_t refusals[] = {CF_ERR_UNSUPPORTED, CF_ERR_BAD_LENGTH, CF_ERR_BUSY};
    for (uint32_t i = 0; i < 3; i++) {
        bench.watchdog = -refusals[i];
        CHECK_EQUAL(ask("uuuuauuuuu", U(CF_MSG_START), U(9), U(0), U(0), many, 2u, U(0), U(0), U(0), U(0), U(500))->status, refusals[i]);
        CHECK_EQUAL(state(), CF_STATE_READY);
        CHECK_EQUAL(bench.ticking, 0);
    }
    bench.watchdog = CF_OK;
    CHECK_EQUAL(ask("uuuuauuuuu", U(CF_MSG_START), U(9), U(0), U(0), many, 2u * CF_MAX_ENTRIES, U(0), U(0), U(0), U(0), U(500))->status, CF_OK);
    CHECK_EQUAL(bench.platform.loop->watchdog, 1000);
    stop();
#if !CF_SMALL /* a platform without ticks */
    struct cf_loop *l = bench.core.loop;
    bench.core.loop = NULL;
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_ERR_UNSUPPORTED);
    CHECK_EQUAL(now_of(hello(77), NOW_LOOP_FEATURES), 0);
    bench.core.loop = l;
#endif
}

/* 333 1/3 counts: after 10^6 ticks, of which some are missed, each is due where it should be. */
static void test_phase(void) {
    start_with(PROGRAM_RETURN);
    bench.task = counting;
    const struct answer *a = start(&(struct plan){.period = 333, .rest = 0x55555555});
    CHECK_EQUAL(a->status, CF_OK);
    const uint64_t first = moment(a->field[CF_KEY_START_RSP_START].at);
    uint64_t n = 0;
    uint32_t missed = 0;
    srand(1);
    for (uint32_t i = 0; i < 1000000; i++) {
        CHECK_EQUAL(bench.next_tick, first + (n * ((U(333) << 32) + 0x55555555) >> 32));
        CHECK_EQUAL(bench.platform.loop->tick, n);
        bench.cost = rand() % 100 == 0 ? 700 : 20;
        const uint64_t begin = bench.next_tick;
        bench_tick((uint32_t)rand() % 30);
        for (n++; first + (n * ((U(333) << 32) + 0x55555555) >> 32) < bench.now; n++) {
            missed++;
        }
        CHECK(bench.next_tick > begin);
    }
    const struct told *t = stop();
    CHECK(missed > 10000);
    CHECK_EQUAL(t->count[CF_LOOP_MISSED], missed);
    CHECK_EQUAL(t->count[CF_LOOP_TICKS], 1000000);
}

static void test_tasks(void) {
    static uint32_t calls[2];

    start_with(PROGRAM_RETURN);
    bench.task = counting;
    CHECK_EQUAL(start(&(struct plan){.period = 1000, .limit = 10000, .tasks = {1, 3, 0, 2}, .task_words = 4})->status, CF_OK);
    memset(calls, 0, sizeof calls);
    for (uint32_t n = 0; n < 12; n++) {
        const uint32_t before = bench.calls;
        bench_tick(0);
        CHECK_EQUAL(bench.calls - before, (n % 3 == 0) + (n % 2 == 0));
        CHECK_EQUAL(load32(bench.platform.data + 8), n % 2 == 0 ? 0 : n % 3 == 0 ? 1 : load32(bench.platform.data + 8)); /* entry 0 is the last one */
        CHECK_EQUAL(bench.last_limit, n % 6 == 0 ? 10000 - 10 : n % 2 == 0 || n % 3 == 0 ? 10000 : bench.last_limit);
    }
    bench.cost = 2500; /* what is missed has numbers, too, which are not used */
    bench_tick(0);
    CHECK_EQUAL(bench.platform.loop->tick, 17); /* two tasks of 2500: 12 takes until 17 */
    CHECK_EQUAL(live()->count[CF_LOOP_MISSED], 4);
}

/* Safe values are there in the tick in which the loop ends. */
#define SAFE 512u
static void start_safe(struct plan p) {
    start_with(PROGRAM_RETURN);
    bench.task = counting;
    PUT(SAFE, 2, 40, 4, 48, 8, 111, 222, 333);
    p.period = 1000;
    p.safe = SAFE;
    CHECK_EQUAL(start(&p)->status, CF_OK);
    bench_tick(0);
    CHECK_EQUAL(load32(bench.platform.data + 40), 0);
}

static void check_safe(uint32_t end, uint32_t state_after) {
    CHECK_EQUAL(bench.next_tick, UINT64_MAX);
    CHECK_EQUAL(load32(bench.platform.data + 40), 111);
    CHECK_EQUAL(load32(bench.platform.data + 44), 0);
    CHECK_EQUAL(load32(bench.platform.data + 48), 222);
    CHECK_EQUAL(load32(bench.platform.data + 52), 333);
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    CHECK(!bench.ticking);
    CHECK_EQUAL(bench.core.state, state_after);
    CHECK_EQUAL(live()->count[CF_LOOP_END], end);
    CHECK_EQUAL(live()->fault.kind != 0, state_after == CF_STATE_FAULTED);
}

static void test_ends(void) {
    start_safe((struct plan){0});
    cf_store32(bench.platform.data + 12, CF_FAULT_ARITHMETIC);
    bench_tick(0);
    check_safe(CF_LOOP_END_FAULT, CF_STATE_FAULTED);
    const struct told *t = live();
    CHECK_EQUAL(t->fault.kind, CF_FAULT_ARITHMETIC);
    CHECK_EQUAL(t->fault.run, 1); /* the tick */
    CHECK_EQUAL(get_data(4, NULL), 2); /* data can be read */
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_ERR_BAD_STATE);
    CHECK(fault_of(ask("u", U(CF_MSG_STATUS)), CF_KEY_STATUS_RSP_FAULT)->kind != 0);

    start_safe((struct plan){.limit = 3000});
    bench.cost = 3001;
    bench_tick(0);
    check_safe(CF_LOOP_END_TIME_LIMIT, CF_STATE_FAULTED);

    start_safe((struct plan){.misses = 3});
    bench.cost = 3000; /* two due times within, the third at its end is kept */
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_MISSED], 2);
    bench.cost = 3001;
    bench_tick(0);
    check_safe(CF_LOOP_END_MISSES, CF_STATE_READY);
    CHECK_EQUAL(live()->count[CF_LOOP_MISSED], 5);

    start_safe((struct plan){.silence = 5500});
    for (uint32_t i = 0; i < 20; i++) { /* as long as a frame comes now and then */
        bench_tick(0);
        if (i % 4 == 0) {
            CHECK_EQUAL(state(), CF_STATE_TICKING);
        }
    }
    uint32_t n = 0;
    for (; bench.next_tick != UINT64_MAX; n++) {
        bench_tick(0);
    }
    CHECK(n >= 2 && n <= 6);
    check_safe(CF_LOOP_END_SILENCE, CF_STATE_READY);

    start_safe((struct plan){0});
    PUT(600, 1, 0, 4, 5);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_APPLY), U(600), U(0))->status, CF_OK);
    PUT(604, 4096); /* made bad after it was checked */
    bench_tick(0);
    check_safe(CF_LOOP_END_PLAN, CF_STATE_READY);
    CHECK_EQUAL(load32(bench.platform.data + 4), 1); /* the task did not run in that tick */

    start_safe((struct plan){0}); /* by STOP */
    bench.next_tick = UINT64_MAX;
    CHECK_EQUAL(stop()->count[CF_LOOP_END], CF_LOOP_END_STOPPED);
    check_safe(CF_LOOP_END_STOPPED, CF_STATE_READY);

    start_safe((struct plan){0}); /* by what the platform says of ticks that run elsewhere */
    bench.lost = (struct cf_fault){CF_FAULT_TIME_LIMIT, 5, 0x10003, 0};
    bench.platform.loop->sequence++; /* in the middle of a tick */
    bench.next_tick = UINT64_MAX;
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    check_safe(CF_LOOP_END_TIME_LIMIT, CF_STATE_FAULTED);
}

static void test_sticky(void) {
    start_with(PROGRAM_RETURN);
    cf_store32(bench.platform.data, 8);
    CHECK_EQUAL(start(&(struct plan){.period = 1000, .tasks = {1, 2}, .task_words = 2})->status, CF_OK); /* PROGRAM_STICKY */
    CHECK_EQUAL(live()->count[CF_LOOP_STICKY], 0);
    bench_tick(0);
    cf_store32(bench.platform.data, 0);
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_STICKY], 3);
}

static uint32_t low_of(uint32_t bucket) {
    return bucket < 64 ? bucket : (32 + bucket % 32) << (bucket / 32 - 1);
}

static int compare(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Figures are exact, and percentiles of the histograms within 2 % of exact ones. */
static void test_figures(void) {
    enum { TICKS = 5000, BUCKETS = 160, PLACE = 16 };
    static uint32_t late[TICKS], took[TICKS], slack[TICKS];
    uint64_t total[CF_FIGURES] = {0};
    const uint32_t *const exact[] = {late, took, slack};

    start_with(PROGRAM_RETURN);
    PUT(PLACE, BUCKETS, 77, 77);
    bench.task = counting;
    CHECK_EQUAL(start(&(struct plan){.period = 200, .histograms = PLACE})->status, CF_OK);
    CHECK_EQUAL(get_live(PLACE + 4), 0); /* cleared */
    srand(2);
    for (uint32_t i = 0; i < TICKS; i++) {
        late[i] = (uint32_t)rand() % 80;
        bench.cost = 1 + (uint32_t)rand() % 100 + (i % 50 == 0 ? 400 : 0);
        took[i] = bench.cost;
        slack[i] = late[i] + took[i] < 200 ? 200 - late[i] - took[i] : 0;
        bench_tick(late[i]);
        total[0] += late[i];
        total[1] += took[i];
        total[2] += slack[i];
    }
    const struct told *t = live();
    for (uint32_t k = 0; k < CF_FIGURES; k++) {
        uint32_t sum = 0, bucket = 0, at = 0;
        qsort((void *)(uintptr_t)exact[k], TICKS, sizeof(uint32_t), compare);
        CHECK_EQUAL(t->figure[k].min, exact[k][0]);
        CHECK_EQUAL(t->figure[k].max, exact[k][TICKS - 1]);
        CHECK_EQUAL(t->figure[k].total, total[k]);
        for (; bucket < BUCKETS; bucket++) {
            const uint32_t n = load32(bench.platform.live + PLACE + 4 + 4 * (k * BUCKETS + bucket));
            for (; at < sum + n; at++) { /* each value of this bucket is within it */
                const uint32_t low = low_of(bucket), high = low_of(bucket + 1);
                CHECK(exact[k][at] >= low && exact[k][at] < high);
                CHECK(high - low == 1 || 50 * (high - low) / 2 <= low); /* its middle is off by at most 2 % */
            }
            sum += n;
        }
        CHECK_EQUAL(sum, TICKS);
    }
}

/* What is beyond the last bucket goes into it, and counters do not wrap. */
static void test_histogram_edges(void) {
    start_with(PROGRAM_RETURN);
    bench.task = counting;
    PUT(16, 3);
    CHECK_EQUAL(start(&(struct plan){.period = 1000, .histograms = 16})->status, CF_OK);
    cf_store32(bench.platform.live + 20 + 8, UINT32_MAX);
    bench_tick(500);
    bench_tick(1);
    CHECK_EQUAL(load32(bench.platform.live + 20 + 8), UINT32_MAX);
    CHECK_EQUAL(load32(bench.platform.live + 20 + 4), 1);
    CHECK_EQUAL(load32(bench.platform.live + 20 + 3 * 4 + 8), 2); /* execution: 10 */
#if !CF_SMALL /* where times have 32 bits no tick is that late */
    bench.now += U(1) << 33;
    bench_tick(0);
    CHECK_EQUAL(live()->figure[CF_LATENESS].max, UINT32_MAX); /* saturates */
#endif
}

#if CF_LOOP_FEATURES == 0
/* A runner without captures and swaps says so, and has no place beside a loop. */
static void test_without_features(void) {
    struct image m;
    uint8_t bytes[PACKET];

    image_make(&m, PROGRAM_RETURN);
    start_loop(counting);
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes))->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(ask("uuub", U(CF_MSG_CHUNK), U(0), U(0), "x", 1u)->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(ask("uuuuuuuuu", U(CF_MSG_CAPTURE), U(0), U(0), U(0), U(0), U(0), U(0), U(0), U(0))->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(ask("uuuuauuu", U(CF_MSG_SWAP), U(0), U(0), U(0), (const uint32_t[]){0, 1}, 2u, U(1), U(0), U(0))->status, CF_ERR_BAD_MESSAGE);
    bench_tick(0);
    CHECK_EQUAL(get_data(4, NULL), 1);
    stop();
    CHECK_EQUAL(load(&m)->status, CF_OK);
}
#endif

const struct test tests_of_loops[] = {
#if CF_LOOP_FEATURES == 0
    TEST(without_features),
#endif

    TEST(start_and_stop), TEST(bad_starts), TEST(phase), TEST(tasks), TEST(ends), TEST(sticky), TEST(figures), TEST(histogram_edges), {0},
};
