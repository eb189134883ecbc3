/* Requests out of their time, digests that are not quite right, places at the ends of memory, what outlives what. */
#include <string.h>

#include "cases.h"
#include "../wire.h"

/* A right request of each code, 0 to 11; 0 and 12 are nobody's. */
static uint32_t request_of(uint32_t code, uint8_t *out, uint32_t capacity) {
    struct image m;

    switch (code) {
    case CF_MSG_HELLO:
        return body(out, capacity, "uuu", U(code), U(CF_PROTOCOL_VERSION), U(99));
    case CF_MSG_BEGIN:
        image_make(&m, PROGRAM_RETURN);
        return image_begin(&m, out, capacity);
    case CF_MSG_CHUNK:
        return body(out, capacity, "uuub", U(code), U(0), U(0), "\x55", 1u);
    case CF_MSG_RUN:
        return body(out, capacity, "uuuuuuu", U(code), U(0), U(1), U(0), U(0), U(0), U(0));
    case CF_MSG_READ:
        return body(out, capacity, "uuu", U(code), U(0), U(0));
    case CF_MSG_WRITE:
        return body(out, capacity, "uub", U(code), U(0), "\x55", 1u);
    case CF_MSG_BAUD:
        return body(out, capacity, "uu", U(code), U(921600));
    default:
        return body(out, capacity, "u", U(code));
    }
}

static void feed_as(uint16_t session, uint16_t seq, const uint8_t *bytes, uint32_t n) {
    uint8_t wire[PACKET + 64];

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, CF_PROTOCOL_VERSION, session, seq, bytes, n));
}

/* Before HELLO there is no session: nothing is carried out, told or counted but the frame. */
static void test_every_request_before_hello(void) {
    uint8_t bytes[128];

    for (uint32_t code = 0; code <= CF_MSG_BAUD + 1; code++) {
        bench_start(PACKET);
        const uint16_t sessions[] = {0, 1, bench.core.link.session, (uint16_t)bench.nonce, (uint16_t)(bench.nonce + 1)};
        const uint32_t n = request_of(code, bytes, sizeof bytes);
        for (uint32_t i = 0; i < sizeof sessions / sizeof sessions[0]; i++) {
            for (uint16_t seq = 0; seq < 3; seq++) {
                if (code != CF_MSG_HELLO || sessions[i] != 0 || seq != 0) {
                    feed_as(sessions[i], seq, bytes, n);
                    CHECK(!answered()->present);
                }
            }
        }
        cf_core_poll(&bench.core); /* nor is there anything to acknowledge */
        CHECK(!answered()->present);
        CHECK_EQUAL(bench.core.state, CF_STATE_IDLE);
        CHECK_EQUAL(bench.baud, 115200);
        CHECK_EQUAL(bench.core.counter[CF_COUNT_DUPLICATES], 0);
        CHECK_EQUAL(bench.calls, 0);
    }
}

/* During a RUN only HELLO is heard: no request is carried out, told or takes a place in the sequence. */
static void test_every_request_during_a_run(void) {
    uint8_t bytes[128];

    for (uint32_t code = 0; code <= CF_MSG_BAUD + 1; code++) {
        start_with(PROGRAM_RETURN);
        const uint16_t session = bench.core.link.session, seq = next_seq;
        feed_as(session, seq, bytes, body(bytes, sizeof bytes, "uuuuuuu", U(CF_MSG_RUN), U(0), U(3000), U(0), U(0), U(0), U(0)));
        const uint32_t n = request_of(code, bytes, sizeof bytes);
        for (uint16_t i = 0; i < 4; i++) {
            cf_core_poll(&bench.core);
            CHECK_EQUAL(bench.core.state, CF_STATE_RUNNING);
            feed_as(session, (uint16_t)(seq + i), bytes, n);
            CHECK(!answered()->present);
        }
        CHECK_EQUAL(bench.core.link.next, seq + 1);
        CHECK_EQUAL(bench.core.link.received, 0);
        CHECK_EQUAL(bench.core.counter[CF_COUNT_DUPLICATES], 0);
        while (bench.core.state == CF_STATE_RUNNING) {
            cf_core_poll(&bench.core);
        }
        const struct answer *a = answered();
        CHECK_EQUAL(a->status, CF_OK);
        CHECK_EQUAL(a->seq, seq);
        CHECK_EQUAL(runs_of(a)->ended, 3000);
        CHECK_EQUAL(bench.calls, 3000);
        CHECK_EQUAL(bench.baud, 115200);
        cf_core_poll(&bench.core);
        CHECK(!answered()->present);
        next_seq = (uint16_t)(seq + 1); /* what was dropped comes in its turn now */
        CHECK_EQUAL(state(), CF_STATE_READY);
    }
}

static void test_digests(void) {
    uint8_t bytes[PACKET], digest[CF_DIGEST_LENGTH + 2] = {0};
    struct image m;

    image_make(&m, PROGRAM_RETURN);
    image_digest(&m, digest);
    static const uint32_t lengths[] = {0, 1, CF_DIGEST_LENGTH - 1, CF_DIGEST_LENGTH + 1, CF_DIGEST_LENGTH + 2};
    for (uint32_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        bench_start(PACKET);
        hello(1);
        uint32_t n = body(bytes, sizeof bytes, "uuuuuuuab", U(CF_MSG_BEGIN), U(m.arch), m.features, U(m.code_length), U(m.data_length),
                          U(m.bss_length), U(m.patch_length), m.entry, m.entry_count, digest, lengths[i]);
        CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, n)->status, CF_ERR_BAD_LENGTH);
        CHECK_EQUAL(state(), CF_STATE_IDLE);
        CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_BAD_STATE);
    }
    for (uint32_t bit = 0; bit < 8 * CF_DIGEST_LENGTH; bit++) {
        bench_start(PACKET);
        hello(1);
        uint32_t n = image_begin(&m, bytes, sizeof bytes);
        bytes[n - CF_DIGEST_LENGTH + bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, n)->status, CF_OK);
        ask("uuub", U(CF_MSG_CHUNK), U(0), U(0), m.code, m.code_length);
        ask("uuub", U(CF_MSG_CHUNK), U(1), U(0), m.data, m.data_length);
        CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_DIGEST_MISMATCH);
        CHECK_EQUAL(state(), CF_STATE_IDLE);
        CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_ERR_BAD_STATE);
    }
}

/* Places of WRITE, READ and CHUNK: the whole, one more, and sums beyond 32 bits. */
static void test_places(void) {
    static uint8_t bytes[65];
    uint8_t packet[PACKET];
    struct image m;

    start_with(PROGRAM_RETURN); /* 32 bytes of code, 24 of data that CHUNKs fill, 64 of data in all */
    static const uint32_t offsets[] = {0, 1, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffc0, 0xffffffc1, 0xffffffff};
    for (uint32_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        for (uint32_t n = 0; n <= sizeof bytes; n++) {
            const int32_t want = (uint64_t)offsets[i] + n <= 64 ? CF_OK : CF_ERR_OUT_OF_RANGE;
            CHECK_EQUAL(ask("uub", U(CF_MSG_WRITE), U(offsets[i]), bytes, n)->status, want);
            CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(offsets[i]), U(n))->status, want);
            CHECK_EQUAL(ask("uuu", U(CF_MSG_READ), U(n), U(offsets[i]))->status, want);
        }
    }
    image_make(&m, PROGRAM_RETURN);
    for (uint32_t region = 0; region < 3; region++) {
        const uint32_t capacity = region == 0 ? 32 : region == 1 ? 24 : 0;
        const uint32_t places[] = {0, 1, capacity - 1, capacity, capacity + 1, 0u - capacity, 0xffffffff};
        for (uint32_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            for (uint32_t n = 1; n <= capacity + 1; n++) {
                bench_start(PACKET);
                hello(1);
                ask_as(bench.core.link.session, next_seq++, packet, image_begin(&m, packet, sizeof packet));
                const struct answer *a = ask("uuub", U(CF_MSG_CHUNK), U(region), U(places[i]), bytes, n);
                if ((uint64_t)places[i] + n <= capacity) {
                    CHECK_EQUAL(a->kind, 0); /* no answer */
                    CHECK_EQUAL(bench.core.image[0].missing, 56 - n);
                } else {
                    CHECK_EQUAL(a->status, CF_ERR_OUT_OF_RANGE);
                }
            }
        }
    }
}

/* What overlaps is counted twice; what nobody sent is zeros, and the digest covers it. */
static void test_gaps_are_zeros(void) {
    uint8_t bytes[PACKET];
    struct image m;

    for (uint32_t region = 0; region < 2; region++) {
        image_make(&m, PROGRAM_RETURN);
        memset(bench.platform.code_write, 0xee, CODE_SIZE); /* of a program before */
        memset(bench.platform.data, 0xee, DATA_SIZE);
        bench_start(PACKET);
        hello(1);
        CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes))->status, CF_OK);
        for (uint32_t half = 0; half < 2; half++) { /* the rest of the code is zeros, the first half of the data as well */
            ask("uuub", U(CF_MSG_CHUNK), U(0), U(region == 0 ? 0 : 16 * half), m.code + (region == 0 ? 0 : 16 * half), 16u);
            ask("uuub", U(CF_MSG_CHUNK), U(1), U(region == 1 ? 12 : 12 * half), m.data + (region == 1 ? 12 : 12 * half), 12u);
        }
        CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_OK);
    }
}

/* BEGIN starts afresh, whatever became of the load before. */
static void test_begin_after_anything(void) {
    uint8_t bytes[PACKET];
    struct image m;

    image_make(&m, PROGRAM_RETURN);
    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(run(0, 3, 0, 0)->status, CF_OK);
    const uint32_t n = image_begin(&m, bytes, sizeof bytes);
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, n)->status, CF_OK);
    const struct answer *a = ask("u", U(CF_MSG_STATUS));
    CHECK_EQUAL(load32(a->field[CF_KEY_STATUS_RSP_COUNTERS].at + 4 * CF_COUNT_STATE), CF_STATE_LOADING); /* what is announced is not loaded */
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_ERR_BAD_STATE);
    ask("uuub", U(CF_MSG_CHUNK), U(0), U(0), m.code, 5u); /* some of it */
    CHECK_EQUAL(load(&m)->status, CF_OK);
    CHECK_EQUAL(samples(0, 0)->status, CF_OK);
    CHECK_EQUAL(samples(0, 1)->status, CF_ERR_OUT_OF_RANGE); /* they went with the program */

    ask_as(bench.core.link.session, next_seq++, bytes, n);
    CHECK_EQUAL(ask("uuub", U(CF_MSG_CHUNK), U(3), U(0), m.code, 5u)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(load(&m)->status, CF_OK); /* no error is left */

    m.arch++;
    CHECK_EQUAL(load(&m)->status, CF_ERR_WRONG_ARCH); /* and no program, if the new one is refused */
    CHECK_EQUAL(state(), CF_STATE_IDLE);
    CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_ERR_BAD_STATE);
}

/* Patches that point to the ends of code and data, and one byte beyond. */
static void test_targets_of_patches(void) {
    for (uint32_t region = 0; region < 2; region++) {
        for (uint32_t beyond = 0; beyond < 2; beyond++) {
            struct image m;
            image_make(&m, PROGRAM_RETURN);
            const uint32_t end = (region == 0 ? 32 : 64) + beyond; /* twice that fits two bytes of a varint */
            const uint8_t patches[] = {1, 0, 4, 0, 0, 0, 1, (uint8_t)region, 1, 0, 32, 0, 1, 8, (uint8_t)(2 * end | 0x80), (uint8_t)(2 * end >> 7)};
            const uint32_t short_one = 2 * end < 128;
            memcpy(m.patches, patches, sizeof patches);
            m.patch_length = sizeof patches - short_one;
            m.patches[14] = (uint8_t)(short_one ? 2 * end : patches[14]);
            bench_start(PACKET);
            hello(1);
            CHECK_EQUAL(load(&m)->status, beyond ? CF_ERR_BAD_PATCH : CF_OK);
        }
    }
}

/* Entries are numbers of 32 bits within the code. */
static void test_entries(void) {
    static const struct {
        const char *items;
        uint32_t length;
        int32_t status;
    } rows[] = {
        {"\x81\x00", 2, CF_OK}, {"\x82\x00\x18\x1f", 4, CF_OK}, {"\x81\x20", 2, CF_ERR_BAD_MESSAGE}, {"\x81\x40", 2, CF_ERR_BAD_MESSAGE},
        {"\x81\x60", 2, CF_ERR_BAD_MESSAGE}, {"\x81\x80", 2, CF_ERR_BAD_MESSAGE}, {"\x81\xa0", 2, CF_ERR_BAD_MESSAGE}, {"\x81\xf5", 2, CF_ERR_BAD_MESSAGE},
        {"\x81\x1b\0\0\0\1\0\0\0\0", 10, CF_ERR_BAD_MESSAGE}, {"\x82\x00\x81\x00", 4, CF_ERR_BAD_MESSAGE}, {"\x81\x1a\xff\xff\xff\xff", 6, CF_ERR_OUT_OF_RANGE},
        {"\x81\x18\x20", 3, CF_ERR_OUT_OF_RANGE}, {"\x80", 1, CF_ERR_BAD_LENGTH},
    };
    static const uint8_t before[] = {0xa9, 0, CF_MSG_BEGIN, 1, CF_ARCH_THUMBV6M, 2, 0, 3, 0x18, 32, 4, 0, 5, 0, 6, 0, 7};

    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[128] = {0};
        uint32_t n = sizeof before;
        memcpy(bytes, before, n);
        memcpy(bytes + n, rows[i].items, rows[i].length);
        n += rows[i].length;
        memcpy(bytes + n, "\x08\x48", 2); /* a digest of zeros */
        bench_start(PACKET);
        hello(1);
        CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, bytes, n + 2 + CF_DIGEST_LENGTH)->status, rows[i].status);
    }
}

/* A new session knows nothing of the one before: no answer, nothing received ahead, nothing to acknowledge. */
static void test_sessions_share_nothing(void) {
    uint8_t bytes[128];
    const uint32_t n = request_of(CF_MSG_CHUNK, bytes, sizeof bytes);

    bench_start(PACKET);
    uint64_t first = now_of(hello(1), NOW_BOOT_NONCE);
    CHECK_EQUAL(first, bench.nonce);
    CHECK_EQUAL(bench.core.link.session, (uint16_t)(bench.nonce + 1));
    bench.nonce++; /* of one start there is one */
    feed_as(bench.core.link.session, 3, bytes, n);
    CHECK_EQUAL(answered()->status, CF_ERR_BAD_STATE);
    feed_as(bench.core.link.session, 4, bytes, n);
    CHECK_EQUAL(answered()->status, CF_ERR_BAD_STATE);
    CHECK_EQUAL(now_of(hello(2), NOW_BOOT_NONCE), first);
    CHECK_EQUAL(bench.core.link.received, 0);
    cf_core_poll(&bench.core);
    CHECK(!answered()->present);
    CHECK_EQUAL(state(), CF_STATE_IDLE);
    CHECK_EQUAL(bench.core.link.next, 2);

    bench.core.link.next = next_seq = 0; /* as after 65535 requests */
    CHECK_EQUAL(state(), CF_STATE_IDLE);
    hello(3);
    feed_as(bench.core.link.session, 0, bytes, body(bytes, sizeof bytes, "u", U(CF_MSG_STATUS)));
    CHECK(!answered()->present);
}

/* A CHUNK that comes again is acknowledged, and not with the last answer; an ordered request acknowledges what was before it. */
static void test_chunks_and_answers(void) {
    struct image m;
    uint8_t bytes[PACKET];

    image_make(&m, PROGRAM_RETURN);
    bench_start(PACKET);
    hello(1);
    ask_as(bench.core.link.session, next_seq++, bytes, image_begin(&m, bytes, sizeof bytes));
    const uint32_t n = request_of(CF_MSG_CHUNK, bytes, sizeof bytes);
    for (uint32_t i = 0; i < 2; i++) {
        feed_as(bench.core.link.session, 2, bytes, n);
        CHECK(!answered()->present);
    }
    next_seq = 3;
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_ERR_INCOMPLETE);
    cf_core_poll(&bench.core);
    CHECK(!answered()->present);
}

/* The sticky flags are there if the data block has room for them. */
static void test_sticky_flags(void) {
    for (uint32_t length = 3; length <= 5; length++) {
        struct image m;
        image_make(&m, PROGRAM_STICKY);
        m.data_length = 0;
        m.bss_length = length;
        bench_start(PACKET);
        hello(1);
        CHECK_EQUAL(load(&m)->status, CF_OK);
        CHECK_EQUAL(runs_of(run(0, 1, 0, 0))->sticky, length < 4 ? 0 : 3);
        m.code[0] = PROGRAM_RETURN;
        CHECK_EQUAL(load(&m)->status, CF_OK);
        bench.platform.data[0] = 9;
        CHECK_EQUAL(run(0, 1, 0, 0)->status, CF_OK);
        CHECK_EQUAL(bench.platform.data[0], length < 4 ? 9 : 0);
    }
}

/* A run that ends at the mark of the next is in time. Marks go on from the end of one that was late. Runs take 11, 12, 10, 11 ticks. */
static void test_marks(void) {
    start_with(PROGRAM_RETURN);
    uint64_t began = bench.now;
    CHECK_EQUAL(runs_of(run(0, 2, 11, 0))->late, 0);
    bench.calls = 0;
    began = bench.now;
    CHECK_EQUAL(runs_of(run(0, 4, 11, 0))->late, 1);
    CHECK_EQUAL(bench.now - began, 11 + 12 + 11 + 11);
    bench.calls = 2; /* the first is the shortest */
    CHECK_EQUAL(runs_of(run(0, 3, 0, 0))->min.wide, 10);
    CHECK_EQUAL(run(0, 1, 0, 1)->status, CF_OK);
    CHECK_EQUAL(bench.last_limit, 1);
}

/* The first byte behind the code is no code. */
static void test_where_a_fault_was(void) {
    for (uint32_t beyond = 0; beyond < 2; beyond++) {
        start_with(PROGRAM_OUTSIDE);
        bench.outside = 0x10000 + 31 + beyond;
        const struct fault *f = fault_of(run(0, 1, 0, 0), CF_KEY_RUN_RSP_FAULT);
        CHECK_EQUAL(f->inside, !beyond);
        CHECK_EQUAL(f->pc, beyond ? 0x10020 : 31);
    }
}

/* A rate is of the list, is set once, and is given up once. */
static void test_rates(void) {
    bench_start(PACKET);
    bench.baud = 7;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 7); /* what is in use after a start is not set again */
    CHECK(bench.last_deadline == CF_NEVER);
    bench.platform.baud_count = 2;
    hello(1);
    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(3000000))->status, CF_ERR_UNSUPPORTED); /* lies behind it */
    CHECK_EQUAL(ask("uu", U(CF_MSG_BAUD), U(921600))->status, CF_OK);
    bench.now += 2 * TIMER_HZ;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 115200);
    bench.baud = 7;
    bench.now += 2 * TIMER_HZ;
    cf_core_poll(&bench.core);
    CHECK_EQUAL(bench.baud, 7);
    CHECK_EQUAL(state(), CF_STATE_IDLE);
    CHECK_EQUAL(bench.baud, 7);
}

/* A poll that received something waits for nothing. */
static void test_a_poll_that_receives(void) {
    bench_start(PACKET);
    bench.rx = realloc(bench.rx, 1);
    bench.rx[0] = 0;
    bench.rx_length = 1;
    bench.hung_up = 1;
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    CHECK_EQUAL(cf_core_poll(&bench.core), -1);
}

const struct test tests_of_edges[] = {
    TEST(every_request_before_hello), TEST(every_request_during_a_run), TEST(digests), TEST(places), TEST(gaps_are_zeros), TEST(begin_after_anything),
    TEST(targets_of_patches), TEST(entries), TEST(sessions_share_nothing), TEST(chunks_and_answers), TEST(sticky_flags), TEST(marks),
    TEST(where_a_fault_was), TEST(rates), TEST(a_poll_that_receives),
    {0},
};
