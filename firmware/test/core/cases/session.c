/* Sessions and requests that need no program: HELLO, repetitions, memory, the rate of the line, garbage on it. */
#include <string.h>

#include "cases.h"

static void test_hello(void) {
    const struct answer *a;
    uint8_t bytes[32];
    uint16_t session;

    bench_start(PACKET);
    a = hello(1);
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->session, 0);
    session = (uint16_t)now_of(a, NOW_SESSION);
    CHECK(session != 0);
    static const uint32_t limits[] = {CF_ARCH_THUMBV6M, CF_FEAT_SSE41, CODE_SIZE, DATA_SIZE, PACKET, 2048, SAMPLES, LIVE_SIZE};
    const uint32_t now[NOWS] = {
        [NOW_SESSION] = session, [NOW_NONCE] = 1, [NOW_BOOT_NONCE] = bench.nonce, [NOW_STATE] = CF_STATE_IDLE, [NOW_TIMER_HZ] = TIMER_HZ,
        [NOW_GUARD] = 3, [NOW_LOOP_FEATURES] = CF_LOOP_FEATURES | CF_LOOP_WATCHDOG | (CF_HAS_PINS ? CF_LOOP_PINS : 0) | (CF_HAS_STORE ? CF_LOOP_STORE : 0),
    };
    static const uint32_t bauds[] = {115200, 921600, 3000000};
    static const uint8_t nothing[CF_DIGEST_LENGTH];
    const struct {
        uint32_t key;
        const void *bytes;
        uint32_t length;
    } fields[] = {
        {CF_KEY_HELLO_RSP_NOW, now, CF_NOW_LENGTH}, {CF_KEY_HELLO_RSP_LIMITS, limits, CF_LIMITS_LENGTH}, {CF_KEY_HELLO_RSP_ABOUT, "bench\ntest", 10},
        {CF_KEY_HELLO_RSP_BAUDS, bauds, sizeof bauds}, {CF_KEY_HELLO_RSP_DIGEST, nothing, sizeof nothing},
    };
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_VERSION].value, CF_PROTOCOL_VERSION);
    for (uint32_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        CHECK_EQUAL(a->field[fields[i].key].type, CF_CBOR_BYTES);
        CHECK_EQUAL(a->field[fields[i].key].value, fields[i].length);
        CHECK_EQUAL(memcmp(a->field[fields[i].key].at, fields[i].bytes, fields[i].length), 0);
    }

    /* What there is to tell is as it is at each answer. */
    CHECK(a->field[CF_KEY_HELLO_RSP_CONDITIONS].at == NULL);
    bench.conditions = CF_CONDITION_UNCONFINED | CF_CONDITION_THROTTLED;
    a = hello(1);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_CONDITIONS].type, CF_CBOR_UINT);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_CONDITIONS].value, bench.conditions);
    bench.conditions = 0;
    CHECK(hello(1)->field[CF_KEY_HELLO_RSP_CONDITIONS].at == NULL);

    /* A retry keeps the session and what has happened in it. */
    CHECK_EQUAL(ask("u", U(CF_MSG_STATUS))->status, CF_OK);
    CHECK_EQUAL(now_of(hello(1), NOW_SESSION), session);
    CHECK_EQUAL(bench.core.link.next, 2);

    /* Another host gets a new one, and the old one is no more. */
    CHECK(now_of(hello(2), NOW_SESSION) != session);
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
    uint32_t n = body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), U(CF_PROTOCOL_VERSION + 1), U(1));

    bench_start(PACKET);
    a = ask_as(0, 0, bytes, n); /* a header that is understood, a body that asks for more */
    CHECK_EQUAL(a->status, CF_ERR_BAD_VERSION);
    CHECK_EQUAL(a->field[CF_KEY_HELLO_RSP_VERSION].value, CF_PROTOCOL_VERSION);
    CHECK(a->field[CF_KEY_HELLO_RSP_NOW].at == NULL);

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 9, 0, 0, bytes, 0)); /* a header of the future */
    a = answered();
    CHECK_EQUAL(a->status, CF_ERR_BAD_VERSION);
    CHECK_EQUAL(a->field[0].value, CF_MSG_HELLO);

    /* Its body need not be a HELLO of today. */
    n = body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS));
    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 9, 0, 0, bytes, n));
    CHECK_EQUAL(answered()->status, CF_ERR_BAD_VERSION);
    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 9, 0, 1, bytes, n)); /* but its place */
    CHECK(!answered()->present);
    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_RSP, 9, 0, 0, bytes, n)); /* and its kind */
    CHECK(!answered()->present);

    /* A version is any number of 32 bits, though a header has room for eight. */
    static const uint64_t versions[] = {0, 1, 3, 255, 256, 257, 0xffffffff};
    for (uint32_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        a = ask_as(0, 0, bytes, body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), versions[i], U(1)));
        CHECK_EQUAL(a->status, CF_ERR_BAD_VERSION);
    }
    a = ask_as(0, 0, bytes, body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), U(1) << 32 | CF_PROTOCOL_VERSION, U(1)));
    CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(bench.core.link.session, 0);

    hello(1);
    n = body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS));
    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, 9, bench.core.link.session, 1, bytes, n));
    CHECK(!answered()->present);
    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_RSP, CF_PROTOCOL_VERSION, bench.core.link.session, 1, bytes, n));
    CHECK(!answered()->present);
}

/* An answer to HELLO says whose it is. */
static void test_hello_echoes_the_nonce(void) {
    static const uint32_t nonces[] = {0, 23, 24, 0xffff, 0xdeadbeef, 0xffffffff};

    bench_start(PACKET);
    for (uint32_t i = 0; i < sizeof nonces / sizeof nonces[0]; i++) {
        for (uint32_t again = 0; again < 2; again++) {
            const struct answer *a = hello(nonces[i]);
            CHECK_EQUAL(now_of(a, NOW_NONCE), nonces[i]);
        }
    }
}

/* A new session has the next id: a host that greets anew sees that there was another one in between. */
static void test_session_ids_follow_each_other(void) {
    bench_start(PACKET);
    uint64_t id = now_of(hello(1), NOW_SESSION);
    for (uint32_t nonce = 2; nonce < 70000; nonce++) {
        uint64_t next = now_of(hello(nonce), NOW_SESSION);
        CHECK_EQUAL(next, id == 0xffff ? 1 : id + 1);
        id = next;
    }
}

/* Session 0 and sequence number 0 are HELLO's alone, and a session is no place for it. */
static void test_hello_elsewhere(void) {
    uint8_t bytes[32];
    const struct answer *a;
    uint32_t n = body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), U(CF_PROTOCOL_VERSION), U(7));

    bench_start(PACKET);
    CHECK(!ask_as(0, 1, bytes, n)->present); /* a sequence number */
    hello(1);
    uint16_t session = bench.core.link.session;
    CHECK(!ask_as(0, 1, bytes, n)->present);
    a = ask_as(session, 1, bytes, n); /* in a session it is a request without meaning */
    CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(a->field[0].value, CF_MSG_HELLO);
    CHECK_EQUAL(a->session, session);
    CHECK_EQUAL(bench.core.link.session, session);
    CHECK_EQUAL(bench.core.link.next, 2);
    CHECK(!ask_as(session, 0, bytes, n)->present); /* it was not the last one */
    n = body(bytes, sizeof bytes, "u", U(CF_MSG_HELLO)); /* half of one */
    a = ask_as(0, 0, bytes, n);
    CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(a->field[0].value, CF_MSG_HELLO);
    CHECK(!ask_as(0, 0, (const uint8_t *)"\x81\x01", 2)->present); /* no message that could be one */
}

static void test_a_request_is_carried_out_once(void) {
    uint8_t bytes[32], first[PACKET];
    uint32_t n = body(bytes, sizeof bytes, "uuuuuuu", U(CF_MSG_RUN), U(0), U(1), U(0), U(0), U(0), U(0));

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
    static const uint32_t want[] = {13, 0, 0, 5, 4, CF_STATE_READY};
    CHECK_EQUAL(a->field[CF_KEY_STATUS_RSP_COUNTERS].value, sizeof want);
    CHECK_EQUAL(memcmp(a->field[CF_KEY_STATUS_RSP_COUNTERS].at, want, sizeof want), 0);
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
    CHECK_EQUAL(samples(0, 0)->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(ask("uubu", U(CF_MSG_WRITE), U(0), bytes, 0u, U(CF_REGION_SAMPLES))->status, CF_ERR_OUT_OF_RANGE);
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
    CHECK(a->field[2].at == NULL);

    bench_start(CF_MIN_PACKET_LENGTH); /* a HELLO answer fits even there */
    CHECK_EQUAL(hello(1)->status, CF_OK);
}

static void test_unknown_requests(void) {
    const struct answer *a;

    bench_start(PACKET);
    hello(1);
    a = ask("u", U(99));
    CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(a->field[0].value, 0);
    a = ask("uuu", U(8), U(0), U(0)); /* the code between WRITE and STATUS */
    CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(ask("u", U(0))->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(ask("b", "x", 1u)->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(ask("uub", U(CF_MSG_RUN), U(0), "x", 1u)->status, CF_ERR_BAD_MESSAGE);
    a = ask_as(bench.core.link.session, next_seq++, (const uint8_t *)"\xa1\x00\x09\x00", 4); /* a STATUS, and more than one: no code is told */
    CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(a->field[0].value, 0);
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
    if (CF_SMALL) {
        CHECK_EQUAL(bench.waits, 0); /* it stays awake */
    } else {
        CHECK_EQUAL(bench.last_deadline, bench.now + 2 * TIMER_HZ);
    }
    CHECK_EQUAL(state(), CF_STATE_IDLE); /* a frame at the new rate: it stays */
    bench.now += 3 * TIMER_HZ;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 921600);
    CHECK(bench.waits != 0 && bench.last_deadline == CF_NEVER);

    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(3000000))->status, CF_OK);
    CHECK_EQUAL(bench.baud, 3000000);
    bench.now += 2 * TIMER_HZ - 1;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 3000000);
    bench.now += 1;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 115200); /* nothing came: back to the rate after a start */
    bench.now += 2 * TIMER_HZ;
    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(921600))->status, CF_OK);

    bench.baud_refused = 1;
    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(115200))->status, CF_OK);
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 921600);
    CHECK(bench.last_deadline == CF_NEVER);
}

/* From the first good frame on a rate stays, whatever that frame is; noise is none. */
static void test_a_rate_stays_after_the_first_good_frame(void) {
    static const struct {
        uint8_t kind, version;
        uint16_t session;
        int stays;
    } frames[] = {
        {CF_KIND_REQ, CF_PROTOCOL_VERSION, 0, 1},     /* no HELLO, and dropped */
        {CF_KIND_REQ, CF_PROTOCOL_VERSION, 0x55, 1},  /* of another session */
        {CF_KIND_REQ, 9, 0x55, 1},                    /* of another version */
        {CF_KIND_RSP, CF_PROTOCOL_VERSION, 0, 1},
        {CF_KIND_REQ, CF_PROTOCOL_VERSION, 0, 0},     /* with a wrong checksum */
    };
    uint8_t bytes[32], wire[64];

    for (uint32_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        bench_start(PACKET);
        hello(1);
        CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(921600))->status, CF_OK);
        uint32_t n = frame(wire, frames[i].kind, frames[i].version, frames[i].session, 1, bytes, body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS)));
        wire[3] ^= (uint8_t)!frames[i].stays;
        cf_core_feed(&bench.core, wire, n);
        bench.now += 3 * TIMER_HZ;
        cf_core_poll(&bench.core);
        CHECK_EQUAL(bench.baud, frames[i].stays ? 921600 : 115200);
    }
}

static void test_poll(void) {
    uint8_t bytes[32];
    uint32_t n = body(bytes, sizeof bytes, "uuu", U(CF_MSG_HELLO), U(1), U(5));

    bench_start(PACKET);
    bench.rx = realloc(bench.rx, 256);
    bench.rx_length = frame(bench.rx, CF_KIND_REQ, CF_PROTOCOL_VERSION, 0, 0, bytes, n);
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

const struct test tests_of_session[] = {
    TEST(hello), TEST(versions), TEST(a_request_is_carried_out_once), TEST(read_and_write),
    TEST(answers_fit_the_packet), TEST(unknown_requests), TEST(hello_echoes_the_nonce), TEST(session_ids_follow_each_other),
    TEST(hello_elsewhere), TEST(baud), TEST(a_rate_stays_after_the_first_good_frame), TEST(poll), TEST(resynchronises),
    {0},
};
