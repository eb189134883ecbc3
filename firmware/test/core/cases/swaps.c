/* SWAP: loading beside a running loop, going over, and going back. */
#include <string.h>

#include "../wire.h"
#include "cases.h"

#if CF_LOOP_FEATURES == 0
const struct test tests_of_swaps[] = {{0}};
#else
/* Programs are told by the byte at their entry: OLD adds 1 to word 1, NEW adds 10 and faults in the call in which word 2 gets 0. */
#define OLD 0x40u
#define NEW 0x41u

static uint32_t working(uint32_t offset, uint8_t *data) {
    if (bench.platform.code_write[offset] == OLD) {
        cf_store32(data + 4, load32(data + 4) + 1);
        return 0;
    }
    CHECK_EQUAL(bench.platform.code_write[offset], NEW);
    cf_store32(data + 4, load32(data + 4) + 10);
    cf_store32(data + 8, load32(data + 8) - 1);
    return load32(data + 8) == 0 ? CF_FAULT_ILLEGAL : 0;
}

static void make(struct image *m, uint32_t program) {
    image_make(m, (enum program)program);
    m->code[1] = (uint8_t)program;
}

static void start_old(void) {
    struct image m;

    make(&m, OLD);
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    bench.task = working;
    PUT(8, 1, 40, 4, 1111); /* safe values */
    CHECK_EQUAL(start(&(struct plan){.period = 1000, .safe = 8})->status, CF_OK);
}

/* Lists: word 1 of the old one becomes word 1 of the new one; other safe values, telemetry of word 1. */
#define GATHER 40u
#define SCATTER 64u
#define NEW_SAFE 80u
#define TELEMETRY 100u
#define SCRATCH 400u

static void load_new(uint32_t calls) {
    struct image m;

    make(&m, NEW);
    cf_store32(m.data + 8, calls);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    PUT(GATHER, 1, 4, 4);
    PUT(SCATTER, 1, 4, 4);
    PUT(NEW_SAFE, 1, 44, 4, 2222);
    PUT(TELEMETRY, 1, 4, 4);
}

static const uint32_t every_tick[] = {0, 1};

static int32_t swap(uint32_t gather, uint32_t scatter, uint32_t scratch, uint32_t trial, uint32_t safe, uint32_t telemetry) {
    return ask("uuuuauuu", U(CF_MSG_SWAP), U(gather), U(scatter), U(scratch), every_tick, 2u, U(trial), U(safe), U(telemetry))->status;
}

static void digest_is(uint32_t program, uint32_t calls) {
    struct image m;
    uint8_t digest[CF_DIGEST_LENGTH];

    make(&m, program);
    if (program == NEW) {
        cf_store32(m.data + 8, calls);
    }
    image_digest(&m, digest);
    const struct answer *a = ask("u", U(CF_MSG_STATUS));
    CHECK_EQUAL(a->field[CF_KEY_STATUS_RSP_DIGEST].value, CF_DIGEST_LENGTH);
    CHECK_EQUAL(memcmp(a->field[CF_KEY_STATUS_RSP_DIGEST].at, digest, sizeof digest), 0);
}

static void test_kept(void) {
    start_old();
    for (uint32_t n = 0; n < 3; n++) {
        bench_tick(0);
    }
    CHECK_EQUAL(swap(0, 0, 0, 2, 0, 0), CF_ERR_BAD_STATE); /* nothing is there */
    load_new(100);
    CHECK_EQUAL(state(), CF_STATE_TICKING);
    CHECK_EQUAL(bench.core.image[1].region[CF_REGION_CODE].bytes - bench.platform.code_write, 64); /* behind 32 bytes, aligned */
    CHECK_EQUAL(bench.core.image[1].region[CF_REGION_DATA].bytes - bench.platform.data, 64);
    CHECK_EQUAL(bench.unloads, 1);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 2, NEW_SAFE, 0), CF_OK);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_PENDING);
    CHECK_EQUAL(swap(0, 0, 0, 2, 0, 0), CF_ERR_BUSY);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_APPLY), U(NEW_SAFE), U(0))->status, CF_ERR_BUSY);
    struct image m;
    uint8_t bytes[PACKET];
    make(&m, NEW);
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_ERR_BUSY);
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes))->status, CF_ERR_BUSY);
    CHECK_EQUAL(ask("uuuuuu", U(CF_MSG_SUBSCRIBE), U(TELEMETRY), U(1), U(200), U(48), U(1))->status, CF_ERR_BUSY);
    CHECK_EQUAL(ask("uuuuuuuuu", U(CF_MSG_CAPTURE), U(TELEMETRY), U(200), U(48), U(0), U(0), U(0), U(0), U(0))->status, CF_ERR_BUSY);
    digest_is(OLD, 0);
    CHECK_EQUAL(get_data(4, NULL), 3);
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_TRIAL);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_TICK], 3);
    CHECK_EQUAL(get_data(4, NULL), 13); /* it went on from 3 */
    digest_is(NEW, 100);
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_KEPT);
    digest_is(NEW, 100);
    CHECK_EQUAL(load32(bench.platform.data + 4), 3); /* the old one's data are as they were */
    CHECK_EQUAL(get_data(4, NULL), 23);

    /* Again, with the first half free: there it goes, and the other way round. */
    load_new(50);
    CHECK_EQUAL(bench.core.image[1].region[CF_REGION_CODE].bytes - bench.platform.code_write, 0);
    CHECK_EQUAL(bench.core.image[1].region[CF_REGION_DATA].bytes - bench.platform.data, 0);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 0, NEW_SAFE, 0), CF_OK); /* without a trial */
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_KEPT);
    CHECK_EQUAL(get_data(4, NULL), 33);
    CHECK_EQUAL(load32(bench.platform.data + 4), 33);
    CHECK_EQUAL(stop()->count[CF_LOOP_TICKS], 6);
    CHECK_EQUAL(get_data(44, NULL), 2222); /* its own safe values */
    CHECK_EQUAL(get_data(40, NULL), 0);
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_OK);
}

/* Each way of failing brings the old program back, with its data, and the loop goes on. */
static void test_back(void) {
    for (uint32_t way = 0; way < 4; way++) {
        start_old();
        bench_tick(0);
        load_new(way == 0 ? 3 : 100);
        CHECK_EQUAL(ask("uuuuuuuuu", U(CF_MSG_CAPTURE), U(TELEMETRY), U(200), U(48), U(4), U(CF_TRIGGER_ABOVE), U(1000), U(0), U(0))->status, CF_OK);
        CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 10, NEW_SAFE, 0), CF_OK);
        bench_tick(0);
        CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_STATE], CF_CAPTURE_OFF);
        bench_tick(0);
        CHECK_EQUAL(get_data(4, NULL), 21);
        bench.cost = way == 1 ? 1001 : way == 2 ? 4001 : 10;
        if (way == 3) {
            PUT(300, 1, 4, 4, 7);
            CHECK_EQUAL(ask("uuu", U(CF_MSG_APPLY), U(300), U(0))->status, CF_OK);
            PUT(300, 1, 400, 4);
        }
        bench_tick(0);
        bench.cost = 10;
        const struct told *t = live();
        CHECK_EQUAL(t->count[CF_LOOP_END], CF_LOOP_END_NONE);
        CHECK_EQUAL(t->count[CF_LOOP_SWAP_STATE], CF_SWAP_BACK);
        CHECK_EQUAL(t->count[CF_LOOP_SWAP_TICK], way == 1 ? 5 : way == 2 ? 7 : 4); /* missed numbers are not used */
        CHECK_EQUAL(t->fault.kind != 0, way == 0 || way == 2);
        CHECK_EQUAL(get_data(4, NULL), 1);
        CHECK_EQUAL(get_data(40, NULL), 0); /* no safe values */
        digest_is(OLD, 0);
        bench_tick(0);
        CHECK_EQUAL(get_data(4, NULL), 2);
        CHECK_EQUAL(stop()->count[CF_LOOP_END], CF_LOOP_END_STOPPED);
        CHECK_EQUAL(state(), CF_STATE_READY); /* the old one has not failed */
        CHECK_EQUAL(get_data(40, NULL), 1111);
        CHECK_EQUAL(get_data(44, NULL), 0);
    }
}

/* A fault of the new program is told as within its own code. */
static void test_where_it_failed(void) {
    start_old();
    load_new(1);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 10, 0, 0), CF_OK);
    bench_tick(0);
    const struct told *t = live();
    CHECK(t->fault.kind != 0);
    CHECK_EQUAL(t->fault.pc, 0); /* the start of its code, though that lies at 64 */
    CHECK_EQUAL(t->fault.inside, 1);
}

static void test_telemetry_over_a_swap(void) {
    uint32_t values[8], n = 0;

    start_old();
    load_new(5);
    CHECK_EQUAL(ask("uuuuuu", U(CF_MSG_SUBSCRIBE), U(TELEMETRY), U(1), U(200), U(120), U(1))->status, CF_OK);
    bench_tick(0);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 9, 0, TELEMETRY), CF_OK);
    for (uint32_t i = 0; i < 7; i++) { /* 5 of the new one, which faults in the fifth, then the old one's */
        bench_tick(0);
        CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    }
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    for (const struct answer *a; (a = answered())->present;) {
        CHECK_EQUAL(a->kind, CF_KIND_TEL);
        values[n++] = load32(a->packet + CF_HEADER_LENGTH + 12);
    }
    static const uint32_t due[] = {1, 11, 21, 31, 41, 51, 2, 3};
    CHECK_EQUAL(n, 8);
    CHECK_EQUAL(memcmp(values, due, sizeof due), 0);

    load_new(100); /* where the subscription ends, what is left of it is sent */
    CHECK_EQUAL(ask("uuuuuu", U(CF_MSG_SUBSCRIBE), U(TELEMETRY), U(1), U(200), U(120), U(4))->status, CF_OK);
    bench_tick(0);
    CHECK_EQUAL(swap(0, 0, 0, 1, 0, 0), CF_OK);
    bench_tick(0);
    bench_tick(0);
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    CHECK_EQUAL(answered()->kind, CF_KIND_TEL);
    CHECK(!answered()->present);
}

static void test_bad_swaps(void) {
    struct image m;
    uint8_t bytes[PACKET];

    start_old();
    load_new(100);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 2, LIVE_SIZE, 0), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 2, 0, TELEMETRY), CF_ERR_OUT_OF_RANGE); /* there is no subscription */
    CHECK_EQUAL(ask("uuuuauuu", U(CF_MSG_SWAP), U(0), U(0), U(0), (const uint32_t[]){2, 1}, 2u, U(1), U(0), U(0))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("uuuuauuu", U(CF_MSG_SWAP), U(0), U(0), U(0), (const uint32_t[]){0, 0}, 2u, U(1), U(0), U(0))->status, CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(ask("uuuubuuu", U(CF_MSG_SWAP), U(0), U(0), U(0), "", 0u, U(1), U(0), U(0))->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(ask("uuuuuu", U(CF_MSG_SUBSCRIBE), U(TELEMETRY), U(1), U(200), U(48), U(1))->status, CF_OK);
    PUT(TELEMETRY, 1, 4, 8); /* records of another length */
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 2, 0, TELEMETRY), CF_ERR_OUT_OF_RANGE);
    PUT(TELEMETRY, 1, 4, 4);
    PUT(300, 0);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_APPLY), U(300), U(50))->status, CF_OK);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 2, 0, 0), CF_ERR_BUSY); /* a set is staged */
    bench.platform.loop->staged = 0;

    /* Lists that cannot be carried out: it goes on with the old one. */
    static const struct {
        uint32_t gather, scatter, scratch, from[3], to[3];
    } rows[] = {
        {GATHER, 0, SCRATCH, {1, 4, 4}, {1, 4, 4}},       {GATHER, SCATTER, LIVE_SIZE, {1, 4, 4}, {1, 4, 4}},
        {GATHER, SCATTER, 402, {1, 4, 4}, {1, 4, 4}},     {GATHER, SCATTER, SCRATCH, {1, 64, 4}, {1, 4, 4}},
        {GATHER, SCATTER, SCRATCH, {1, 4, 8}, {1, 4, 4}}, {GATHER, SCATTER, SCRATCH, {1, 4, 4}, {1, 4, 8}},
        {GATHER, SCATTER, SCRATCH, {1, 4, 4}, {1, 64, 4}}, {LIVE_SIZE, SCATTER, SCRATCH, {1, 4, 4}, {1, 4, 4}},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        load_new(100);
        put_live(GATHER, rows[i].from, 3);
        put_live(SCATTER, rows[i].to, 3);
        CHECK_EQUAL(swap(rows[i].gather, rows[i].scatter, rows[i].scratch, i % 2, 0, 0), CF_OK);
        bench_tick(0);
        CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_BACK);
        CHECK_EQUAL(live()->count[CF_LOOP_END], CF_LOOP_END_NONE);
        CHECK_EQUAL(get_data(4, NULL), i + 1);
    }
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 2, 0, 0), CF_ERR_BAD_STATE); /* what was beside is not any more */

    /* No room: with the bytes that there are behind the running program. */
    make(&m, NEW);
    m.code_length = CODE_SIZE - 63;
    const struct answer *a = ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes));
    CHECK_EQUAL(a->status, CF_ERR_NO_MEMORY);
    CHECK_EQUAL(a->field[2].value, CODE_SIZE - 64);
    m.code_length = CODE_SIZE - 64;
    m.bss_length = DATA_SIZE - 64 - m.data_length + 1;
    a = ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes));
    CHECK_EQUAL(a->status, CF_ERR_NO_MEMORY);
    CHECK_EQUAL(a->field[2].value, DATA_SIZE - 64);
    m.bss_length = 0xffffffff;
    m.patch_length = 64;
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes))->status, CF_ERR_NO_MEMORY);
    m.bss_length = DATA_SIZE - 64 - m.data_length;
    m.patch_length = 0;
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes))->status, CF_OK);
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_INCOMPLETE);
    bench_tick(0); /* meanwhile nothing of the running one has changed */
    CHECK_EQUAL(get_data(4, NULL), 9);
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_OK);
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(state(), CF_STATE_TICKING);
}

/* STOP and other ends, with a swap that waits or is on trial. */
static void test_ends_of_swaps(void) {
    start_old();
    load_new(100);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 2, NEW_SAFE, 0), CF_OK);
    stop();
    digest_is(OLD, 0);
    CHECK_EQUAL(get_data(40, NULL), 1111);
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_OK);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_NONE);
    CHECK_EQUAL(swap(0, 0, 0, 0, 0, 0), CF_ERR_BAD_STATE); /* what was beside went with the loop */

    start_old();
    load_new(100);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 5, NEW_SAFE, 0), CF_OK);
    bench_tick(0);
    stop();
    digest_is(NEW, 100); /* the one that ran last */
    CHECK_EQUAL(get_data(44, NULL), 2222);
    CHECK_EQUAL(load32(bench.platform.data + 40), 0);
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_OK);
    bench_tick(0);
    CHECK_EQUAL(get_data(4, NULL), 20);

    start_old(); /* a misses policy does not end what can go back */
    stop();
    CHECK_EQUAL(start(&(struct plan){.period = 1000, .misses = 1})->status, CF_OK);
    load_new(100);
    CHECK_EQUAL(swap(GATHER, SCATTER, SCRATCH, 5, NEW_SAFE, 0), CF_OK);
    bench.cost = 2500;
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_BACK);
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_END], CF_LOOP_END_MISSES);
}

const struct test tests_of_swaps[] = {
    TEST(kept), TEST(back), TEST(where_it_failed), TEST(telemetry_over_a_swap), TEST(bad_swaps), TEST(ends_of_swaps), {0},
};
#endif
