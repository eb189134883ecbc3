/* The parts of the core by themselves: checksums, division, the window of the link, the writer. */
#include <string.h>

#include "cases.h"
#include "core/crc32c.h"
#include "core/digest.h"

static void test_crc(void) {
    CHECK_EQUAL(cf_crc32c((const uint8_t *)"123456789", 9), 0xe3069283u);
    CHECK_EQUAL(cf_crc32c(NULL, 0), 0);
}

/* Of the authors' list of test vectors (Fowler, Noll, Vo: test_fnv.c), and in pieces. */
static void test_digest(void) {
    static const struct {
        const char *text;
        uint64_t digest;
    } known[] = {
        {"", 0xcbf29ce484222325u}, {"a", 0xaf63dc4c8601ec8cu}, {"foobar", 0x85944171f73967e8u},
    };

    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(cf_digest(CF_DIGEST_EMPTY, known[i].text, (uint32_t)strlen(known[i].text)), known[i].digest);
    }
    CHECK_EQUAL(cf_digest(cf_digest(CF_DIGEST_EMPTY, "foo", 3), "bar", 3), known[2].digest);
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
    TEST(crc), TEST(digest), TEST(link_window_and_wrap), TEST(writer_bounds),
    {0},
};
