/* BEGIN, CHUNK and SEAL. */
#include <string.h>

#include "cases.h"

/* Feeds a CHUNK of one byte of code without looking at what comes back. */
static void chunk(uint16_t seq, uint32_t offset, uint8_t byte) {
    uint8_t bytes[32], wire[64];
    uint32_t n = body(bytes, sizeof bytes, "uuub", U(CF_MSG_CHUNK), U(0), U(offset), &byte, 1u);

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, CF_PROTOCOL_VERSION, bench.core.link.session, seq, bytes, n));
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
    CHECK_EQUAL(bench.core.image[0].missing, 3);

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
        {3, 0, 1, CF_ERR_OUT_OF_RANGE}, {0xffffffff, 0, 1, CF_ERR_OUT_OF_RANGE},
        {3, 8, 0, CF_ERR_OUT_OF_RANGE},
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
        CHECK((a->field[2].at == NULL) == (bad[i].offset == 0)); /* 0 is left out */
        CHECK_EQUAL(ask("uuub", U(CF_MSG_CHUNK), U(bad[i].region), U(bad[i].offset), bytes, bad[i].length)->status, bad[i].status);
        CHECK(!ask("uuub", U(CF_MSG_CHUNK), U(0), U(4), bytes, 0)->present); /* of no bytes: nothing */
        a = ask("u", U(CF_MSG_SEAL));
        CHECK_EQUAL(a->status, CF_ERR_INCOMPLETE);
        CHECK_EQUAL(a->field[2].value, 56); /* none has been stored */
        CHECK_EQUAL(state(), CF_STATE_LOADING);
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

/* Whatever makes a program go lets the platform end it first. */
static void test_unloading(void) {
    struct image m;

    start_with(PROGRAM_RETURN);
    uint32_t before = bench.unloads;
    CHECK_EQUAL(ask("u", U(CF_MSG_DROP))->status, CF_OK);
    CHECK_EQUAL(bench.unloads, before + 1);
    image_make(&m, PROGRAM_RETURN);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    CHECK_EQUAL(bench.unloads, before + 2);
    CHECK_EQUAL(run(0, 3, 0, 0)->status, CF_OK);
    CHECK_EQUAL(bench.unloads, before + 2);
}

const struct test tests_of_loading[] = {
    TEST(chunks_in_any_order), TEST(every_fourth_chunk_is_acknowledged), TEST(chunk_errors), TEST(begin_errors),
    TEST(the_largest_image), TEST(seal), TEST(unloading),
    {0},
};
