/* What the runner must do, case by case. */
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "core/bytes.h"
#include "core/crc32c.h"
#include "core/divide.h"
#include "core/sha256.h"
#include "image.h"

#define U(v) ((uint64_t)(v))

static void expect_hex(const uint8_t *got, const char *want) {
    for (uint32_t i = 0; want[2 * i] != 0; i++) {
        unsigned v;
        CHECK_EQUAL(sscanf(want + 2 * i, "%2x", &v), 1);
        CHECK_EQUAL(got[i], v);
    }
}

static void test_crc(void) {
    CHECK_EQUAL(cf_crc32c((const uint8_t *)"123456789", 9), 0xe3069283u);
    CHECK_EQUAL(cf_crc32c(NULL, 0), 0);
}

/* FIPS 180-4 examples, and a million times "a" in pieces of every size up to 130. */
static void test_sha256(void) {
    static const struct {
        const char *text, *digest;
    } known[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    struct cf_sha256 s;
    uint8_t digest[32], piece[130];
    uint32_t done = 0;

    for (uint32_t i = 0; i < 3; i++) {
        cf_sha256_init(&s);
        cf_sha256_update(&s, (const uint8_t *)known[i].text, (uint32_t)strlen(known[i].text));
        cf_sha256_final(&s, digest);
        expect_hex(digest, known[i].digest);
    }
    memset(piece, 'a', sizeof piece);
    cf_sha256_init(&s);
    for (uint32_t n = 0; done < 1000000; n = n % sizeof piece + 1) {
        uint32_t take = 1000000 - done < n ? 1000000 - done : n;
        cf_sha256_update(&s, piece, take);
        done += take;
    }
    cf_sha256_final(&s, digest);
    expect_hex(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_divide(void) {
    static const uint64_t dividends[] = {0, 1, 999999, 1000000, 0xffffffff, 0x100000000, 123456789012345678, UINT64_MAX - 1, UINT64_MAX};
    static const uint32_t divisors[] = {1, 2, 3, 10, 1000000, 0x7fffffff, 0x80000000};

    for (uint32_t i = 0; i < sizeof dividends / sizeof dividends[0]; i++) {
        for (uint32_t k = 0; k < sizeof divisors / sizeof divisors[0]; k++) {
            const struct cf_quotient q = cf_divide(dividends[i], divisors[k]);
            CHECK(q.quotient == dividends[i] / divisors[k]);
            CHECK(q.rest == dividends[i] % divisors[k]);
        }
    }
}

static void test_link_window_and_wrap(void) {
    struct cf_link l = {.session = 0xffff};

    cf_link_open(&l, 7);
    CHECK_EQUAL(l.session, 1); /* 0 is not a session */
    CHECK_EQUAL(l.next, 1);
    l.next = 0xfff0;
    CHECK_EQUAL(cf_link_classify(&l, 0xfff0), CF_ARRIVAL_NEXT);
    CHECK_EQUAL(cf_link_classify(&l, 0xffef), CF_ARRIVAL_SEEN);
    CHECK_EQUAL(cf_link_classify(&l, 0x7ff1), CF_ARRIVAL_SEEN);
    CHECK_EQUAL(cf_link_classify(&l, 0x10), CF_ARRIVAL_AHEAD);
    CHECK_EQUAL(cf_link_classify(&l, 0x11), CF_ARRIVAL_OUTSIDE);
    CHECK_EQUAL(cf_link_classify(&l, 0x7fef), CF_ARRIVAL_OUTSIDE);
    for (uint16_t seq = 0xfff1; seq != 0x11; seq++) { /* 32 in all, over the wrap */
        CHECK_EQUAL(cf_link_classify(&l, seq), CF_ARRIVAL_AHEAD);
        cf_link_take(&l, seq);
        CHECK_EQUAL(cf_link_classify(&l, seq), CF_ARRIVAL_SEEN);
    }
    CHECK_EQUAL(l.received, 0xffffffffu);
    cf_link_take(&l, 0xfff0);
    CHECK_EQUAL(l.next, 0x11);
    CHECK_EQUAL(l.received, 0);
    cf_link_take(&l, 0x13);
    CHECK_EQUAL(l.received, 2);
    cf_link_take(&l, 0x11);
    CHECK_EQUAL(l.next, 0x12);
    CHECK_EQUAL(l.received, 1);
}

static void test_writer_bounds(void) {
    uint8_t buffer[4];
    struct cf_writer w = {buffer, sizeof buffer, 0, 0};

    cf_put_head(&w, CF_CBOR_UINT, 0x1234);
    CHECK_EQUAL(w.length, 3);
    cf_put_head(&w, CF_CBOR_UINT, 24);
    CHECK(w.full);
    CHECK_EQUAL(w.length, 3);
    cf_put_head(&w, CF_CBOR_UINT, 1); /* would fit, but comes after something that did not */
    CHECK_EQUAL(w.length, 3);
}

static void test_hello(void) {
    const struct answer *a;
    uint8_t bytes[32];
    uint16_t session;

    bench_start(PACKET);
    a = hello(1);
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->session, 0);
    session = (uint16_t)a->field[CF_KEY_HELLO_RSP_SESSION].value;
    CHECK(session != 0);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_MAX_PACKET].value, PACKET);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_BAUDS].value, 3);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_DIGEST].value, 0);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_BOARD].value, 5);
    CHECK_EQUAL(memcmp(a->field[CF_KEY_HELLO_RSP_BOARD].at, "bench", 5), 0);

    /* A retry keeps the session and what has happened in it. */
    CHECK_EQUAL(ask("u", U(CF_MSG_STATUS))->status, CF_OK);
    CHECK_EQUAL(hello(1)->field[CF_KEY_HELLO_RSP_SESSION].value, session);
    CHECK_EQUAL(bench.core.link.next, 2);

    /* Another host gets a new one, and the old one is no more. */
    CHECK(hello(2)->field[CF_KEY_HELLO_RSP_SESSION].value != session);
    CHECK_EQUAL(bench.core.link.next, 1);
    CHECK(!ask_as(session, 1, bytes, body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS)))->present);
    CHECK(ask("u", U(CF_MSG_STATUS))->present);

    /* Before any HELLO there is no session, whatever its number. */
    bench_start(PACKET);
    CHECK(!ask_as(bench.core.link.session, 1, bytes, body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS)))->present);
    CHECK(!ask_as(0, 0, bytes, body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS)))->present);
    CHECK(!ask_as(0, 1, bytes, body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS)))->present);
}

static void test_versions(void) {
    uint8_t bytes[32], wire[64];
    const struct answer *a;
    uint32_t n = body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), U(2), U(1));

    bench_start(PACKET);
    a = ask_as(0, 0, bytes, n); /* a header that is understood, a body that asks for more */
    CHECK_EQUAL(a->status, CF_ERR_BAD_VERSION);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_VERSION].value, CF_PROTOCOL_VERSION);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_SESSION].type, CF_CBOR_ABSENT);

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 9, 0, 0, bytes, 0)); /* a header of the future */
    a = answered();
    CHECK_EQUAL(a->status, CF_ERR_BAD_VERSION);
    CHECK_EQUAL(a->field[0].value, CF_MSG_HELLO);

    hello(1);
    n = body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS));
    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 9, bench.core.link.session, 1, bytes, n));
    CHECK(!answered()->present);
    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_RSP, 1, bench.core.link.session, 1, bytes, n));
    CHECK(!answered()->present);
}

/* Sends BEGIN and everything that follows; returns the answer to SEAL, or to BEGIN if that was refused. */
static const struct answer *load(const struct image *m) {
    uint8_t bytes[PACKET];
    const struct answer *a;
    uint16_t session = bench.core.link.session;

    a = ask_as(session, next_seq++, bytes, image_begin(m, bytes, sizeof bytes));
    if (a->status != CF_OK) {
        return a;
    }
    const struct {
        const uint8_t *bytes;
        uint32_t length;
    } region[] = {{m->code, m->code_length}, {m->data, m->data_length}, {m->patches, m->patch_length}};
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t at = 0; at < region[i].length; at += 100) {
            uint32_t n = region[i].length - at < 100 ? region[i].length - at : 100;
            ask("uuub", U(CF_MSG_CHUNK), U(i), U(at), region[i].bytes + at, n);
        }
    }
    while (answered()->present) {
    }
    return ask("u", U(CF_MSG_SEAL));
}

static void start_with(enum program program) {
    struct image m;

    image_make(&m, program);
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(load(&m)->status, CF_OK);
}

static const struct answer *run(uint32_t entry, uint32_t count, uint32_t period, uint32_t limit) {
    return ask("uuuuu", U(CF_MSG_RUN), U(entry), U(count), U(period), U(limit));
}

static uint32_t state(void) {
    return (uint32_t)ask("u", U(CF_MSG_STATUS))->field[CF_KEY_STATUS_RSP_STATE].value;
}

static void test_a_request_is_carried_out_once(void) {
    uint8_t bytes[32], first[PACKET];
    uint32_t n = body(bytes, sizeof bytes, "uuuuu", U(CF_MSG_RUN), U(0), U(1), U(0), U(0));

    start_with(PROGRAM_RETURN);
    uint16_t seq = next_seq++, session = bench.core.link.session;
    const struct answer *a = ask_as(session, seq, bytes, n);
    uint32_t length = a->length;
    memcpy(first, a->packet, length);
    CHECK_EQUAL(bench.calls, 1);
    for (int i = 0; i < 2; i++) {
        a = ask_as(session, seq, bytes, n);
        CHECK_EQUAL(a->length, length);
        CHECK_EQUAL(memcmp(a->packet, first, length), 0);
    }
    CHECK_EQUAL(bench.calls, 1);
    hello(1); /* a late retry leaves the stored answer alone */
    CHECK_EQUAL(ask_as(session, seq, bytes, n)->length, length);
    CHECK(!ask_as(session, (uint16_t)(seq - 1), bytes, n)->present); /* older */
    CHECK(!ask_as(session, (uint16_t)(seq + 2), bytes, n)->present); /* out of order */
    CHECK_EQUAL(bench.calls, 1);
    next_seq = (uint16_t)(seq + 1);
    a = ask("u", U(CF_MSG_STATUS));
    struct cf_reader counters = {a->field[CF_KEY_STATUS_RSP_COUNTERS].at, a->field[CF_KEY_STATUS_RSP_COUNTERS].end};
    static const uint64_t want[] = {13, 0, 0, 5, 4};
    CHECK_EQUAL(a->field[CF_KEY_STATUS_RSP_COUNTERS].value, CF_COUNTERS);
    for (int i = 0; i < CF_COUNTERS; i++) {
        struct cf_field v;
        CHECK_EQUAL(cf_cbor_head(&counters, &v), 0);
        CHECK_EQUAL(v.value, want[i]);
    }
}

/* Feeds a CHUNK of one byte of code without looking at what comes back. */
static void chunk(uint16_t seq, uint32_t offset, uint8_t byte) {
    uint8_t bytes[32], wire[64];
    uint32_t n = body(bytes, sizeof bytes, "uuub", U(CF_MSG_CHUNK), U(0), U(offset), &byte, 1u);

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 1, bench.core.link.session, seq, bytes, n));
}

static void test_chunks_in_any_order(void) {
    uint8_t bytes[PACKET];
    struct image m;
    const struct answer *a;

    image_make(&m, PROGRAM_RETURN);
    m.code_length = 5;
    m.data_length = 0;
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes))->status, CF_OK);
    chunk(4, 2, m.code[2]);
    chunk(6, 4, m.code[4]);
    CHECK(!answered()->present);
    CHECK_EQUAL(cf_core_poll(&bench.core), 0); /* the queue is empty: acknowledge */
    a = answered();
    CHECK_EQUAL(a->kind, CF_KIND_ACK);
    CHECK_EQUAL(a->ack, 2);
    CHECK_EQUAL(a->received, 1u << 1 | 1u << 3);
    CHECK_EQUAL(a->window, 2048);
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    CHECK(!answered()->present);

    chunk(4, 2, m.code[2]); /* again */
    cf_core_poll(&bench.core);
    CHECK_EQUAL(answered()->received, 1u << 1 | 1u << 3);
    CHECK_EQUAL(bench.core.counter[CF_COUNT_DUPLICATES], 1);
    CHECK_EQUAL(bench.core.image.received[CF_REGION_CODE], 2);

    next_seq = 2;
    a = ask("u", U(CF_MSG_SEAL)); /* takes number 2, so two bytes are missing for good */
    CHECK_EQUAL(a->status, CF_ERR_INCOMPLETE);
    CHECK_EQUAL(a->field[2].value, 3);
    chunk(3, 1, m.code[1]);
    chunk(5, 3, m.code[3]);
    CHECK_EQUAL(bench.core.link.next, 7);
    next_seq = 7;
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_INCOMPLETE);
    chunk(8, 0, m.code[0]);
    next_seq = 9;
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_OK);
}

static void test_every_fourth_chunk_is_acknowledged(void) {
    struct image m;
    uint8_t bytes[PACKET];

    image_make(&m, PROGRAM_RETURN);
    bench_start(PACKET);
    hello(1);
    ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes));
    for (uint16_t i = 0; i < 8; i++) {
        chunk((uint16_t)(2 + i), i, 0);
        const struct answer *a = answered();
        CHECK_EQUAL(a->present, i % 4 == 3);
        CHECK(!a->present || a->ack == 3 + i);
    }
}

static void test_chunk_errors(void) {
    static const struct {
        uint32_t region, offset, length;
        int32_t status;
    } bad[] = {
        {0, 32, 1, CF_ERR_OUT_OF_RANGE}, {0, 33, 0, CF_ERR_OUT_OF_RANGE}, {0, 0, 33, CF_ERR_OUT_OF_RANGE},
        {0, 0xffffffff, 2, CF_ERR_OUT_OF_RANGE}, {1, 20, 5, CF_ERR_OUT_OF_RANGE}, {2, 0, 1, CF_ERR_OUT_OF_RANGE},
        {3, 0, 1, CF_ERR_OUT_OF_RANGE}, {0xffffffff, 0, 1, CF_ERR_OUT_OF_RANGE}, {0, 4, 0, CF_ERR_BAD_LENGTH},
    };
    uint8_t bytes[PACKET] = {0};
    struct image m;

    image_make(&m, PROGRAM_RETURN);
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bench_start(PACKET);
        hello(1);
        ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes));
        const struct answer *a = ask("uuub", U(CF_MSG_CHUNK), U(bad[i].region), U(bad[i].offset), bytes, bad[i].length);
        CHECK_EQUAL(a->status, bad[i].status);
        CHECK_EQUAL(a->seq, 2);
        CHECK_EQUAL(a->field[2].value, bad[i].offset);
        CHECK(!ask("uuub", U(CF_MSG_CHUNK), U(bad[i].region), U(1), bytes, bad[i].length)->present); /* told once */
        a = ask("u", U(CF_MSG_SEAL));
        CHECK_EQUAL(a->status, bad[i].status);
        CHECK_EQUAL(a->field[2].value, bad[i].offset);
        CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_BAD_STATE);
    }
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(ask("uuub", U(CF_MSG_CHUNK), U(0), U(0), bytes, 1u)->status, CF_ERR_BAD_STATE);
}

static void test_begin_errors(void) {
    struct image m;
    const struct answer *a;

#define REFUSED(change, want, figure)                     \
    image_make(&m, PROGRAM_RETURN);                       \
    change;                                               \
    bench_start(PACKET);                                  \
    hello(1);                                             \
    a = load(&m);                                         \
    CHECK_EQUAL(a->field[0].value, CF_MSG_BEGIN);         \
    CHECK_EQUAL(a->status, want);                         \
    CHECK_EQUAL(a->field[2].value, figure);               \
    CHECK_EQUAL(state(), CF_STATE_IDLE)

    REFUSED(m.arch = CF_ARCH_AARCH64, CF_ERR_WRONG_ARCH, CF_ARCH_THUMBV6M);
    REFUSED(m.features = 0x500000003, CF_ERR_MISSING_FEATURE, 2);
    REFUSED(m.features = 1ull << 63, CF_ERR_MISSING_FEATURE, 0);
    REFUSED(m.code_length = CODE_SIZE + 1, CF_ERR_NO_MEMORY, CODE_SIZE);
    REFUSED(m.bss_length = DATA_SIZE - 23, CF_ERR_NO_MEMORY, DATA_SIZE);
    REFUSED(m.bss_length = 0xffffffff, CF_ERR_NO_MEMORY, DATA_SIZE);
    REFUSED(m.patch_length = DATA_SIZE - 63, CF_ERR_NO_MEMORY, DATA_SIZE);
    REFUSED(m.entry[1] = 32, CF_ERR_OUT_OF_RANGE, 32);
    REFUSED(m.code_length = 0, CF_ERR_BAD_LENGTH, 0);
    REFUSED(m.entry_count = 0, CF_ERR_BAD_LENGTH, 0);
    REFUSED(m.entry_count = CF_MAX_ENTRIES + 1, CF_ERR_BAD_LENGTH, 0);
#undef REFUSED
}

static void test_the_largest_image(void) {
    struct image m;

    image_make(&m, PROGRAM_RETURN);
    m.code_length = CODE_SIZE;
    m.entry[1] = CODE_SIZE - 1;
    m.bss_length = DATA_SIZE - 24;
    m.entry_count = CF_MAX_ENTRIES;
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    CHECK_EQUAL(bench.synced, CODE_SIZE);
}

static void test_seal(void) {
    struct image m;
    const struct answer *a;
    /* Absolute, 4 bytes, 32 bits, in data at 8, to code + 3. */
    static const uint8_t patches[] = {1, 0, 4, 0, 32, 0, 1, 0, 1, 0, 32, 0, 1, 8, 6};

    memset(bench.platform.data, 0xee, DATA_SIZE); /* of a program before */
    image_make(&m, PROGRAM_RETURN);
    memcpy(m.patches, patches, sizeof patches);
    m.patch_length = sizeof patches;
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    CHECK_EQUAL(bench.synced, 32);
    a = ask("uuu", U(CF_MSG_READ), U(0), U(64));
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->field[2].value, 64);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t want = i == 20 ? 0xda : i == 8 ? 3 : i == 10 ? 1 : 0; /* 0x10003 at 8 */
        CHECK_EQUAL(a->field[2].at[i], want);
    }
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_BAD_STATE);
    a = ask("u", U(CF_MSG_STATUS));
    CHECK_EQUAL(a->field[CF_KEY_STATUS_RSP_DIGEST].value, CF_DIGEST_LENGTH);

    m.patches[13] = 61; /* place */
    a = load(&m);
    CHECK_EQUAL(a->status, CF_ERR_BAD_PATCH);
    CHECK_EQUAL(a->field[2].value, sizeof patches);
    CHECK_EQUAL(state(), CF_STATE_IDLE);

    m.patch_length = 0;
    uint8_t bytes[PACKET];
    uint32_t n = image_begin(&m, bytes, sizeof bytes);
    bytes[n - 1] ^= 1; /* of the digest */
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, n)->status, CF_OK);
    ask("uuub", U(CF_MSG_CHUNK), U(0), U(0), m.code, m.code_length);
    ask("uuub", U(CF_MSG_CHUNK), U(1), U(0), m.data, m.data_length);
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_DIGEST_MISMATCH);
    CHECK_EQUAL(state(), CF_STATE_IDLE);
}

static void test_run(void) {
    const struct answer *a;

    start_with(PROGRAM_RETURN);
    a = run(0, 3, 0, 500);
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(bench.calls, 3);
    CHECK_EQUAL(bench.last_limit, 500);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_RUNS].value, 3);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_TOTAL].value, 33);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_MIN].value, 10);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_MAX].value, 12);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_LATE].value, 0);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_STICKY].value, 0);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_FAULT].type, CF_CBOR_ABSENT);
    a = ask("uuu", U(CF_MSG_SAMPLES), U(1), U(2));
    CHECK_EQUAL(a->field[2].value, 8);
    CHECK_EQUAL(cf_load32(a->field[2].at), 12);
    CHECK_EQUAL(cf_load32(a->field[2].at + 4), 10);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_SAMPLES), U(3), U(0))->status, CF_OK);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_SAMPLES), U(1), U(3))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_SAMPLES), U(0xffffffff), U(0xffffffff))->status, CF_ERR_OUT_OF_RANGE);

    CHECK_EQUAL(run(1, 1, 0, 0)->field[CF_KEY_RUN_RSP_STICKY].value, 3);
    CHECK_EQUAL(bench.last_limit, CF_CORE_LIMIT_US);
    CHECK_EQUAL(run(0, 1, 0, 0)->field[CF_KEY_RUN_RSP_STICKY].value, 0); /* cleared at the start */

    CHECK_EQUAL(run(0, 20, 0, 0)->field[CF_KEY_RUN_RSP_RUNS].value, 20); /* more than samples */
    CHECK_EQUAL(ask("uuu", U(CF_MSG_SAMPLES), U(0), U(SAMPLES))->status, CF_OK);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_SAMPLES), U(0), U(SAMPLES + 1))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(run(2, 1, 0, 0)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(run(0, 0, 0, 0)->status, CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(state(), CF_STATE_READY);
}

static void test_periods(void) {
    start_with(PROGRAM_RETURN);
    uint64_t began = bench.now;
    CHECK_EQUAL(run(0, 4, 1000, 0)->field[CF_KEY_RUN_RSP_LATE].value, 0);
    CHECK_EQUAL(bench.now, began + 3000 + 11); /* the fourth call takes 11 */

    /* Marks do not drift: a period is 1234.567 ticks, a thousand of them are whole. */
    bench.platform.timer_hz = 1234567;
    began = bench.now;
    run(0, 1001, 1000, 0);
    CHECK_EQUAL(bench.now - began - (10 + bench.calls % 3), 1234567);
    bench.platform.timer_hz = TIMER_HZ;

    /* Periods shorter than the runs: each but the first is late, none is skipped. */
    began = bench.now;
    const struct answer *a = run(0, 9, 5, 0);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_LATE].value, 8);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_RUNS].value, 9);
    CHECK_EQUAL(bench.now - began, 9 * 11);
}

/* Sends a RUN and nothing more. */
static void start_run(uint16_t seq, uint32_t count, uint32_t period) {
    uint8_t bytes[32], wire[64];
    uint32_t n = body(bytes, sizeof bytes, "uuuuu", U(CF_MSG_RUN), U(0), U(count), U(period), U(0));

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 1, bench.core.link.session, seq, bytes, n));
}

/* Sends HELLO and nothing more. */
static const struct answer *knock(uint32_t nonce) {
    uint8_t bytes[32], wire[64];
    uint32_t n = body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), U(CF_PROTOCOL_VERSION), U(nonce));

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 1, 0, 0, bytes, n));
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
    CHECK_EQUAL(bench.core.job.runs, bench.calls);
    a = knock(1); /* or asks whether there is anybody */
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_STATE].value, CF_STATE_RUNNING);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_DIGEST].value, CF_DIGEST_LENGTH);
    CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
    for (int i = 0; i < 7; i++) {
        cf_core_poll(&bench.core);
    }
    a = answered();
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->seq, next_seq);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_RUNS].value, 5000);
    start_run(next_seq, 5000, 0); /* an answer that was lost */
    CHECK_EQUAL(answered()->field[CF_KEY_RUN_RSP_RUNS].value, 5000);
    CHECK_EQUAL(bench.calls, 5000);

    /* A new host ends the run of the one before; the program stays. */
    start_run((uint16_t)(next_seq + 1), 0xffffffff, 0);
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
    CHECK_EQUAL(knock(2)->field[CF_KEY_HELLO_RSP_STATE].value, CF_STATE_READY);
    uint32_t calls = bench.calls;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.calls, calls);
    CHECK(!answered()->present);
    next_seq = 1;
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
}

static void test_a_long_period_is_slept_through(void) {
    start_with(PROGRAM_RETURN);
    uint64_t began = bench.now;
    start_run(next_seq, 2, 1000000);
    cf_core_poll(&bench.core); /* the first run, at once */
    CHECK_EQUAL(bench.calls, 1);
    CHECK_EQUAL(bench.last_deadline, began + 1000000 - 7812); /* a slice before the mark */
    CHECK_EQUAL(knock(1)->field[CF_KEY_HELLO_RSP_STATE].value, CF_STATE_RUNNING);
    cf_core_poll(&bench.core);
    CHECK_EQUAL(answered()->field[CF_KEY_RUN_RSP_RUNS].value, 2);
    CHECK_EQUAL(bench.now, began + 1000000 + 12);
}

/* The line ends in the middle of a run. */
static void test_hang_up_while_running(void) {
    start_with(PROGRAM_RETURN);
    start_run(next_seq, 0xffffffff, 0);
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    bench.hung_up = 1;
    CHECK_EQUAL(cf_core_poll(&bench.core), -1);
}

static void expect_fault(const struct answer *a, uint32_t key, uint64_t kind, uint64_t pc, int inside, uint64_t index) {
    struct cf_field f[CF_KEY_FAULT_INSIDE + 1];
    struct cf_writer w = {(uint8_t[64]){0}, 64, 0, 0};
    uint32_t n = (uint32_t)(a->field[key].end - a->field[key].at);

    CHECK_EQUAL(a->field[key].type, CF_CBOR_MAP);
    cf_put_head(&w, CF_CBOR_MAP, a->field[key].value); /* the head is not in the field */
    memcpy(w.buffer + w.length, a->field[key].at, n);
    struct cf_reader r = {w.buffer, w.buffer + w.length + n};
    CHECK_EQUAL(cf_cbor_map(&r, f, CF_KEY_FAULT_INSIDE + 1), 0);
    CHECK_EQUAL(f[CF_KEY_FAULT_KIND].value, kind);
    CHECK_EQUAL(f[CF_KEY_FAULT_PC].value, pc);
    CHECK_EQUAL(f[CF_KEY_FAULT_ADDRESS].value, 0x1234);
    CHECK_EQUAL(f[CF_KEY_FAULT_ENTRY].value, 0);
    CHECK_EQUAL(f[CF_KEY_FAULT_RUN].value, index);
    CHECK_EQUAL(f[CF_KEY_FAULT_CAUSE].value, 77);
    CHECK_EQUAL(f[CF_KEY_FAULT_INSIDE].value, inside ? CF_CBOR_TRUE : CF_CBOR_FALSE);
}

static void test_faults(void) {
    const struct answer *a;

    for (uint32_t kind = 1; kind <= CF_FAULT_OTHER; kind++) {
        start_with((enum program)kind);
        a = run(0, 5, 0, 0);
        CHECK_EQUAL(a->status, kind == CF_FAULT_TIME_LIMIT ? CF_ERR_TIME_LIMIT : CF_ERR_FAULT);
        CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_RUNS].value, 0);
        expect_fault(a, CF_KEY_RUN_RSP_FAULT, kind, 0, 1, 0);
        expect_fault(ask("u", U(CF_MSG_STATUS)), CF_KEY_STATUS_RSP_FAULT, kind, 0, 1, 0);
        CHECK_EQUAL(state(), CF_STATE_FAULTED);
        CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_ERR_BAD_STATE);
        CHECK_EQUAL(ask("uub", U(CF_MSG_WRITE), U(0), "", 0u)->status, CF_ERR_BAD_STATE);
        CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(0), U(4))->status, CF_OK);
        CHECK_EQUAL(ask("uuu", U(CF_MSG_SAMPLES), U(0), U(0))->status, CF_OK);
    }
    start_with(PROGRAM_OUTSIDE);
    expect_fault(run(0, 1, 0, 0), CF_KEY_RUN_RSP_FAULT, CF_FAULT_MEMORY, 0x99, 0, 0);

    start_with(PROGRAM_TURNS);
    a = run(0, 5, 0, 0);
    CHECK_EQUAL(a->field[CF_KEY_RUN_RSP_RUNS].value, 2);
    expect_fault(a, CF_KEY_RUN_RSP_FAULT, CF_FAULT_MEMORY, 0, 1, 2);

    struct image m;
    image_make(&m, PROGRAM_RETURN);
    CHECK_EQUAL(load(&m)->status, CF_OK); /* recovers */
    CHECK_EQUAL(ask("u", U(CF_MSG_STATUS))->field[CF_KEY_STATUS_RSP_FAULT].type, CF_CBOR_ABSENT);
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
}

/* A fault of the runner itself, before its restart. */
static void test_boot_fault(void) {
    static const struct cf_fault fault = {CF_FAULT_ILLEGAL, 77, 0x10004, 0x1234};

    bench_start(PACKET);
    bench.platform.boot_fault = &fault;
    cf_core_init(&bench.core, &bench.platform);
    hello(1);
    expect_fault(ask("u", U(CF_MSG_STATUS)), CF_KEY_STATUS_RSP_FAULT, CF_FAULT_ILLEGAL, 0x10004, 0, 0);
}

static void test_read_and_write(void) {
    const struct answer *a;
    static const uint8_t bytes[65] = {1, 2, 3};

    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(ask("uub", U(CF_MSG_WRITE), U(61), bytes, 3u)->status, CF_OK);
    a = ask("uuu", U(CF_MSG_READ), U(60), U(4));
    CHECK_EQUAL(a->field[2].value, 4);
    expect_hex(a->field[2].at, "00010203");
    CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(64), U(0))->status, CF_OK);
    static const uint64_t outside[][2] = {{64, 1}, {65, 0}, {61, 4}, {0, 65}, {0xffffffff, 2}, {2, 0xffffffff}};
    for (uint32_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), outside[i][0], outside[i][1])->status, CF_ERR_OUT_OF_RANGE);
        if (outside[i][1] <= sizeof bytes) {
            a = ask("uub", U(CF_MSG_WRITE), outside[i][0], bytes, (uint32_t)outside[i][1]);
            CHECK_EQUAL(a->status, CF_ERR_OUT_OF_RANGE);
        }
    }
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_OK);
    CHECK_EQUAL(state(), CF_STATE_IDLE);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(0), U(0))->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(ask("uub", U(CF_MSG_WRITE), U(0), bytes, 0u)->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(ask("uuu", U(CF_MSG_SAMPLES), U(0), U(0))->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_ERR_BAD_STATE);
}

static void test_answers_fit_the_packet(void) {
    struct image m;
    const struct answer *a;

    image_make(&m, PROGRAM_RETURN);
    m.bss_length = 900;
    bench_start(PACKET);
    hello(1);
    load(&m);
    uint32_t most = PACKET - CF_HEADER_LENGTH - CF_TRAILER_LENGTH - 9; /* map, two pairs, key, string head */
    CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(0), U(most))->status, CF_OK);
    a = ask("uuu", U(CF_MSG_READ), U(0), U(most + 1));
    CHECK_EQUAL(a->status, CF_ERR_BAD_LENGTH);
    CHECK_EQUAL(a->field[2].type, CF_CBOR_ABSENT);

    bench_start(CF_MIN_PACKET_LENGTH); /* a HELLO answer fits even there */
    CHECK_EQUAL(hello(1)->status, CF_OK);
}

static void test_unknown_requests(void) {
    const struct answer *a;

    bench_start(PACKET);
    hello(1);
    a = ask("u", U(99));
    CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(a->field[0].value, 99);
    CHECK_EQUAL(ask("b", "x", 1u)->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(ask("uub", U(CF_MSG_RUN), U(0), "x", 1u)->status, CF_ERR_BAD_MESSAGE);
    a = ask("uuu", U(CF_MSG_HELLO), U(1), U(7)); /* inside of a session */
    CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(bench.core.link.next, next_seq);
}

static void test_baud(void) {
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(9600))->status, CF_ERR_UNSUPPORTED);
    CHECK_EQUAL(bench.baud, 115200);

    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(921600))->status, CF_OK);
    CHECK_EQUAL(bench.baud, 921600);
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.last_deadline, bench.now + 2 * TIMER_HZ);
    CHECK_EQUAL(state(), CF_STATE_IDLE); /* a frame at the new rate: it stays */
    bench.now += 3 * TIMER_HZ;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 921600);
    CHECK(bench.last_deadline == UINT64_MAX);

    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(3000000))->status, CF_OK);
    CHECK_EQUAL(bench.baud, 3000000);
    bench.now += 2 * TIMER_HZ - 1;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 3000000);
    bench.now += 1;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 921600); /* nothing came: back */

    bench.baud_refused = 1;
    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(115200))->status, CF_OK);
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 921600);
    CHECK(bench.last_deadline == UINT64_MAX);
}

static void test_poll(void) {
    uint8_t bytes[32];
    uint32_t n = body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), U(1), U(5));

    bench_start(PACKET);
    bench.rx = realloc(bench.rx, 256);
    bench.rx_length = frame(bench.rx, CF_KIND_REQ, 1, 0, 0, bytes, n);
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    CHECK_EQUAL(answered()->status, CF_OK);
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    bench.hung_up = 1;
    CHECK_EQUAL(cf_core_poll(&bench.core), -1);
}

static void test_resynchronises(void) {
    static const uint8_t garbage[] = {0x11, 0x22, 0, 0, 5, 1, 0, 0xff, 1, 2, 3, 0};

    bench_start(PACKET);
    cf_core_feed(&bench.core, garbage, sizeof garbage);
    CHECK_EQUAL(hello(1)->status, CF_OK);
    CHECK_EQUAL(bench.core.counter[CF_COUNT_FRAMING_ERRORS], 3);
    CHECK_EQUAL(bench.core.counter[CF_COUNT_FRAMES_OK], 1);
}

int main(void) {
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
#define TEST(name) {#name, test_##name}
        TEST(crc), TEST(sha256), TEST(divide), TEST(link_window_and_wrap), TEST(writer_bounds), TEST(hello), TEST(versions),
        TEST(a_request_is_carried_out_once), TEST(chunks_in_any_order), TEST(every_fourth_chunk_is_acknowledged),
        TEST(chunk_errors), TEST(begin_errors), TEST(the_largest_image), TEST(seal), TEST(run), TEST(periods),
        TEST(a_long_run_hears_hello), TEST(a_long_period_is_slept_through), TEST(hang_up_while_running),
        TEST(faults), TEST(boot_fault), TEST(read_and_write), TEST(answers_fit_the_packet), TEST(unknown_requests),
        TEST(baud), TEST(poll), TEST(resynchronises),
    };

    bench_start(PACKET);
    for (uint32_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        fprintf(stderr, "%s\n", tests[i].name);
        tests[i].run();
    }
    return 0;
}
