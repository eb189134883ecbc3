/* What the link does with a running loop: READ, WRITE, APPLY, SUBSCRIBE. */
#include <string.h>

#include "../wire.h"
#include "cases.h"

/* Data: word 1 the tick's number, 2 and 3 what is set together, 4 how often they differed, 5 the square of the tick. */
static uint32_t watching(uint32_t offset, uint8_t *data) {
    const uint32_t n = load32(data + 4);

    (void)offset;
    cf_store32(data + 4, n + 1);
    cf_store32(data + 16, load32(data + 16) + (load32(data + 8) != load32(data + 12)));
    cf_store32(data + 20, n * n);
    return 0;
}

static int32_t apply(uint32_t list, uint32_t tick) {
    return ask("uuu", U(CF_MSG_APPLY), U(list), U(tick))->status;
}

static void test_sets(void) {
    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(apply(8, 0), CF_ERR_BAD_STATE);
    start_loop(watching);
    PUT(8, 2, 8, 4, 12, 4, 7, 7);
    const struct answer *a = ask("uuu", U(CF_MSG_APPLY), U(8), U(0));
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->field[2].value, 0);
    CHECK_EQUAL(apply(8, 0), CF_ERR_BUSY);
    CHECK_EQUAL(load32(bench.platform.data + 8), 0); /* not before the tick */
    bench_tick(0);
    CHECK_EQUAL(load32(bench.platform.data + 8), 7);
    CHECK_EQUAL(live()->count[CF_LOOP_APPLIED], 1);
    CHECK_EQUAL(live()->count[CF_LOOP_APPLIED_TICK], 0);

    PUT(28, 9, 9);
    a = ask("uuu", U(CF_MSG_APPLY), U(8), U(4)); /* at tick 4 */
    CHECK_EQUAL(a->field[2].value, 1);
    for (uint32_t n = 1; n < 4; n++) {
        bench_tick(0);
        CHECK_EQUAL(load32(bench.platform.data + 8), 7);
        CHECK_EQUAL(apply(8, 0), CF_ERR_BUSY);
    }
    bench_tick(0);
    CHECK_EQUAL(load32(bench.platform.data + 12), 9);
    CHECK_EQUAL(live()->count[CF_LOOP_APPLIED_TICK], 4);
    CHECK_EQUAL(apply(8, 2), CF_OK); /* has passed: the next */
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_APPLIED_TICK], 5);
    CHECK_EQUAL(live()->count[CF_LOOP_APPLIED], 3);

    bench.platform.loop->tick = 0xffffffff; /* numbers wrap */
    CHECK_EQUAL(apply(8, 1), CF_OK);
    bench_tick(0);
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_APPLIED], 3);
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_APPLIED_TICK], 1);
    CHECK_EQUAL(load32(bench.platform.data + 16), 0); /* never torn */
}

/* Lists that are wrong change nothing at all. */
static void test_bad_lists(void) {
    static const uint32_t lists[][6] = {
        {2, 8, 4, 64, 4, 1},          /* behind the data */
        {2, 8, 4, 60, 8, 1},          /* beyond their end */
        {2, 8, 4, 0xfffffffc, 8, 1},  /* whose end wraps */
        {2, 8, 4, 10, 4, 1},          /* not aligned */
        {2, 8, 4, 12, 2, 1},          /* nor its length */
        {2, 8, 4, 0, 0xfffffffc, 1},
        {0xffffffff, 8, 4, 12, 4, 1}, /* longer than live memory */
        {0x20000001, 8, 4, 12, 4, 1}, /* of so many spans that their bytes wrap */
    };

    start_loop(watching);
    memset(bench.platform.live, 0x11, LIVE_SIZE);
    for (uint32_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        put_live(8, lists[i], 6);
        CHECK_EQUAL(apply(8, 0), CF_ERR_OUT_OF_RANGE);
        PUT(8, 1, 8, 4, 5); /* and after a good one was asked for */
        CHECK_EQUAL(apply(8, 0), CF_OK);
        put_live(8, lists[i], 6);
        const uint32_t before = load32(bench.platform.data + 8);
        bench_tick(0);
        CHECK_EQUAL(bench.next_tick, UINT64_MAX);
        CHECK_EQUAL(load32(bench.platform.data + 8), before);
        CHECK_EQUAL(live()->count[CF_LOOP_END], CF_LOOP_END_PLAN);
        CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_OK);
    }
    /* values that end behind live memory, a list there, and one that is not aligned */
    put_live(LIVE_SIZE - 16, (const uint32_t[]){1, 8, 8, 0}, 4);
    CHECK_EQUAL(apply(LIVE_SIZE - 16, 0), CF_ERR_OUT_OF_RANGE);
    put_live(LIVE_SIZE - 4, (const uint32_t[]){1}, 1);
    CHECK_EQUAL(apply(LIVE_SIZE - 4, 0), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(apply(LIVE_SIZE, 0), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(apply(0xfffffffc, 0), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(apply(9, 0), CF_ERR_OUT_OF_RANGE);
    put_live(LIVE_SIZE - 4, (const uint32_t[]){0}, 1); /* an empty one fits there */
    CHECK_EQUAL(apply(LIVE_SIZE - 4, 0), CF_OK);
}

static void test_reads(void) {
    uint32_t tick;

    start_with(PROGRAM_RETURN);
    CHECK(ask("uuu", U(CF_MSG_READ), U(0), U(4))->field[3].at == NULL); /* no tick without a loop */
    CHECK_EQUAL(ask("uuuu", U(CF_MSG_READ), U(0), U(4), U(CF_REGION_DATA))->status, CF_OK);
    CHECK_EQUAL(ask("uuuu", U(CF_MSG_READ), U(0), U(4), U(CF_REGION_CODE))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("uuuu", U(CF_MSG_READ), U(0), U(4), U(CF_REGION_PATCHES))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("uuuu", U(CF_MSG_READ), U(0), U(4), U(CF_REGION_SAMPLES + 1))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("uuub", U(CF_MSG_READ), U(0), U(4), "", 0u)->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(ask("uubu", U(CF_MSG_WRITE), U(16), "abcd", 4u, U(CF_REGION_DATA))->status, CF_OK);
    CHECK_EQUAL(ask("uubu", U(CF_MSG_WRITE), U(16), "abcd", 4u, U(CF_REGION_CODE))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("uubu", U(CF_MSG_WRITE), U(LIVE_SIZE - 3), "abcd", 4u, U(CF_REGION_LIVE))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_OK);
    PUT(40, 0x12345678); /* live memory needs no program */
    CHECK_EQUAL(get_live(40), 0x12345678);

    start_loop(watching);
    CHECK_EQUAL(get_data(4, &tick), 0);
    CHECK_EQUAL(tick, 0);
    for (uint32_t n = 0; n < 6; n++) {
        bench_tick(0);
    }
    CHECK_EQUAL(get_data(4, &tick), 6);
    CHECK_EQUAL(tick, 6);
    PUT(60, 3);
    CHECK_EQUAL(get_live(60), 3);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(61), U(4))->status, CF_ERR_OUT_OF_RANGE);
#if !CF_SMALL /* a tick that does not end, on another processor */
    bench.platform.loop->sequence |= 1;
    CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(0), U(4))->status, CF_ERR_BUSY);
    CHECK_EQUAL(ask("u", U(CF_MSG_LIVE))->status, CF_ERR_BUSY);
    CHECK_EQUAL(ask("uuuuuu", U(CF_MSG_SUBSCRIBE), U(8), U(1), U(100), U(100), U(1))->status, CF_ERR_BUSY);
#endif
    stop();
    CHECK_EQUAL(get_data(4, NULL), 6);
}

/* Records that have come: their ticks, and the values of their last word. */
struct stream {
    uint32_t records;
    uint32_t packets;
    uint32_t tick[64];
    uint32_t value[64];
    uint32_t time[64];
    uint32_t drops;
};

static void take(struct stream *s, uint32_t words, uint32_t every) {
    for (;;) {
        uint32_t before = bench.tx_length;
        CHECK_EQUAL(cf_core_poll(&bench.core), 0);
        if (bench.tx_length == before) {
            return;
        }
        const struct answer *a = answered();
        CHECK_EQUAL(a->kind, CF_KIND_TEL);
        CHECK_EQUAL(a->session, bench.core.link.session);
        CHECK_EQUAL(a->seq, s->packets);
        CHECK_EQUAL((a->length - CF_HEADER_LENGTH - 12) % (4 * words), 0);
        s->packets++;
        const uint8_t *b = a->packet + CF_HEADER_LENGTH;
        s->drops = load32(b + 8);
        const uint32_t n = (a->length - CF_HEADER_LENGTH - 12) / (4 * words);
        CHECK(n > 0);
        for (uint32_t i = 0; i < n; i++) {
            CHECK(s->records < 64);
            s->tick[s->records] = load32(b) + i * every;
            s->time[s->records] = load32(b + 4);
            s->value[s->records++] = load32(b + 12 + 4 * (words * i + words - 1));
        }
    }
}

#define LIST 8u
#define RING 256u
#define RECORD 16u /* two words */

static int32_t subscribe(uint32_t list, uint32_t every, uint32_t ring, uint32_t length, uint32_t batch) {
    return ask("uuuuuu", U(CF_MSG_SUBSCRIBE), U(list), U(every), U(ring), U(length), U(batch))->status;
}

static void test_telemetry(void) {
    struct stream s = {0};

    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(subscribe(LIST, 1, RING, 80, 2), CF_ERR_BAD_STATE);
    start_loop(watching);
    PUT(LIST, 2, 4, 4, 20, 4);
    CHECK_EQUAL(subscribe(LIST, 2, RING, 5 * RECORD + 12, 2), CF_OK);
    for (uint32_t n = 0; n < 21; n++) {
        bench_tick(0);
        take(&s, 2, 2);
    }
    CHECK_EQUAL(s.records, 10); /* the one of tick 20 waits */
    CHECK_EQUAL(s.packets, 5);
    CHECK_EQUAL(s.drops, 0);
    for (uint32_t i = 0; i < s.records; i++) {
        CHECK_EQUAL(s.tick[i], 2 * i);
        CHECK_EQUAL(s.value[i], 4 * i * i);
    }
    CHECK_EQUAL(s.time[4], (uint32_t)live()->start + 8 * 1000);

    /* The ring is full: 5 records, of which one is there; then drops, which are counted, and a gap, which begins a packet. */
    for (uint32_t n = 21; n < 35; n++) {
        bench_tick(0);
    }
    CHECK_EQUAL(live()->count[CF_LOOP_DROPS], 3); /* 20 to 28 are there, 30, 32 and 34 are not */
    take(&s, 2, 2);
    CHECK_EQUAL(s.records, 14);
    CHECK_EQUAL(s.drops, 3);
    bench_tick(0);
    bench_tick(0);
    take(&s, 2, 2); /* of 28 and 36 only what comes before the gap */
    CHECK_EQUAL(s.records, 15);
    CHECK_EQUAL(s.tick[14], 28);
    bench_tick(0);
    stop();
    take(&s, 2, 2); /* the rest */
    CHECK_EQUAL(s.records, 16);
    CHECK_EQUAL(s.tick[15], 36);
    CHECK_EQUAL(s.value[15], 36 * 36);
    CHECK(!bench.core.stream.on);
    take(&s, 2, 2);
    CHECK_EQUAL(s.records, 16);
}

static void test_subscriptions(void) {
    struct stream s = {0};
    const struct answer *a;

    start_loop(watching);
    PUT(LIST, 2, 4, 4, 20, 4);
    CHECK_EQUAL(subscribe(LIST, 0, RING, 80, 2), CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(subscribe(LIST, 1, RING, 80, 0), CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(subscribe(LIST, 1, RING, RECORD - 4, 1), CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(subscribe(LIST, 1, RING, 4 * RECORD, 5), CF_ERR_BAD_LENGTH); /* never so many in the ring */
    CHECK_EQUAL(subscribe(LIST, 1, RING + 2, 80, 1), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(subscribe(LIST, 1, LIVE_SIZE - 76, 80, 1), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(subscribe(LIST, 1, RING, 0xfffffff0, 1), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(subscribe(LIVE_SIZE, 1, RING, 80, 1), CF_ERR_OUT_OF_RANGE);
    a = ask("uuuuuu", U(CF_MSG_SUBSCRIBE), U(LIST), U(1), U(RING), U(1024), U(14));
    CHECK_EQUAL(a->status, CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(a->field[2].value, 13); /* records of 8 bytes in 128 - 24 */
    PUT(LIST, 0);
    CHECK_EQUAL(subscribe(LIST, 1, RING, 80, 1), CF_ERR_BAD_LENGTH); /* of nothing */
    CHECK(!bench.core.stream.on);

    PUT(LIST, 2, 4, 4, 20, 4);
    CHECK_EQUAL(subscribe(LIST, 1, RING, 1024, 13), CF_OK);
    for (uint32_t n = 0; n < 14; n++) {
        bench_tick(0);
    }
    take(&s, 2, 1);
    CHECK_EQUAL(s.packets, 1);
    CHECK_EQUAL(s.records, 13);
    bench_tick(0);
    CHECK_EQUAL(subscribe(LIST, 3, RING, 80, 1), CF_OK); /* another one: from 0 again */
    s = (struct stream){0};
    bench_tick(0);
    bench_tick(0);
    take(&s, 2, 3);
    CHECK_EQUAL(s.records, 1);
    CHECK_EQUAL(s.tick[0], 15);
    CHECK_EQUAL(subscribe(0, 0, 0, 0, 0), CF_OK);
    for (uint32_t n = 0; n < 6; n++) {
        bench_tick(0);
    }
    take(&s, 2, 3);
    CHECK_EQUAL(s.records, 1);

    /* Another session, and there is none any more; the ticks go on. */
    CHECK_EQUAL(subscribe(LIST, 1, RING, 80, 1), CF_OK);
    hello(99);
    bench_tick(0);
    take(&s, 2, 1);
    CHECK_EQUAL(s.records, 1);
    CHECK_EQUAL(state(), CF_STATE_TICKING);

    /* A list that is not what it was ends the loop, and leaves what lies behind the ring alone. */
    CHECK_EQUAL(subscribe(LIST, 1, RING, RECORD, 1), CF_OK);
    PUT(RING + RECORD, 0x55555555);
    PUT(LIST, 2, 4, 4, 20, 12);
    bench_tick(0);
    CHECK_EQUAL(bench.next_tick, UINT64_MAX);
    CHECK_EQUAL(live()->count[CF_LOOP_END], CF_LOOP_END_PLAN);
    CHECK_EQUAL(get_live(RING + RECORD), 0x55555555);

    /* Missed ticks leave a gap, and are no drops. */
    start_loop(watching);
    PUT(LIST, 2, 4, 4, 20, 4);
    CHECK_EQUAL(subscribe(LIST, 1, RING, 160, 1), CF_OK);
    s = (struct stream){0};
    bench.cost = 2500;
    bench_tick(0);
    bench_tick(0);
    take(&s, 2, 1);
    CHECK_EQUAL(s.packets, 2);
    CHECK_EQUAL(s.tick[1], 3);
    CHECK_EQUAL(s.drops, 0);

    /* More records than there can be are none. */
    CHECK_EQUAL(subscribe(LIST, 1, RING, 160, 1), CF_OK);
    bench.platform.loop->written = 11;
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    CHECK(!answered()->present);
    CHECK(!bench.core.stream.on);
    CHECK_EQUAL(subscribe(LIST, 1, RING, 160, 1), CF_OK);
    s.packets = 2;

    /* RUN has the buffer to itself. */
    bench_tick(0);
    stop();
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
    take(&s, 2, 1);
    CHECK_EQUAL(s.packets, 2);
}

const struct test tests_of_tuning[] = {
    TEST(sets), TEST(bad_lists), TEST(reads), TEST(telemetry), TEST(subscriptions), {0},
};
