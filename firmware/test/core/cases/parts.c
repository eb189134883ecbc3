/* The parts of the core by themselves: checksums, division, the window of the link, the writer. */
#include <string.h>

#include "cases.h"
#include "core/crc32c.h"
#include "core/sha256.h"

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
    uint8_t piece[130];
    uint32_t done = 0;

    for (uint32_t i = 0; i < 3; i++) {
        cf_sha256_init(&s);
        cf_sha256_update(&s, (const uint8_t *)known[i].text, (uint32_t)strlen(known[i].text));
        expect_hex(cf_sha256_final(&s), known[i].digest);
    }
    memset(piece, 'a', sizeof piece);
    cf_sha256_init(&s);
    for (uint32_t n = 0; done < 1000000; n = n % sizeof piece + 1) {
        uint32_t take = 1000000 - done < n ? 1000000 - done : n;
        cf_sha256_update(&s, piece, take);
        done += take;
    }
    expect_hex(cf_sha256_final(&s), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_link_window_and_wrap(void) {
    struct cf_link l = {.session = 0xffff};

    cf_link_open(&l, 7);
    CHECK_EQUAL(l.session, 1); /* 0 is not a session */
    CHECK_EQUAL(l.next, 1);
    l.next = 0xfff0;
    CHECK_EQUAL(cf_link_take(&l, 0xffef, 1), CF_ARRIVAL_SEEN);
    CHECK_EQUAL(cf_link_take(&l, 0x7ff1, 1), CF_ARRIVAL_SEEN);
    CHECK_EQUAL(cf_link_take(&l, 0x11, 1), CF_ARRIVAL_OUTSIDE);
    CHECK_EQUAL(cf_link_take(&l, 0x7fef, 1), CF_ARRIVAL_OUTSIDE);
    for (uint16_t seq = 0xfff1; seq != 0x11; seq++) { /* 32 in all, over the wrap */
        CHECK_EQUAL(cf_link_take(&l, seq, 0), CF_ARRIVAL_OUTSIDE); /* out of turn: not recorded */
        CHECK_EQUAL(cf_link_take(&l, seq, 1), CF_ARRIVAL_NEW);
        CHECK_EQUAL(cf_link_take(&l, seq, 0), CF_ARRIVAL_SEEN);
        CHECK_EQUAL(cf_link_take(&l, seq, 1), CF_ARRIVAL_SEEN);
    }
    CHECK_EQUAL(l.received, 0xffffffffu);
    CHECK_EQUAL(l.next, 0xfff0);
    CHECK_EQUAL(cf_link_take(&l, 0xfff0, 0), CF_ARRIVAL_NEW);
    CHECK_EQUAL(l.next, 0x11);
    CHECK_EQUAL(l.received, 0);
    CHECK_EQUAL(cf_link_take(&l, 0x13, 1), CF_ARRIVAL_NEW);
    CHECK_EQUAL(l.received, 2);
    CHECK_EQUAL(cf_link_take(&l, 0x11, 1), CF_ARRIVAL_NEW);
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

const struct test tests_of_parts[] = {
    TEST(crc), TEST(sha256), TEST(link_window_and_wrap), TEST(writer_bounds),
    {0},
};
