/* Numbers at the edges of their encodings: heads of CBOR, varints and limits of patch sections, blocks of COBS. */
#include <string.h>

#include "cases.h"
#include "core/patch.h"
#include "../wire.h"

static uint64_t load64(const uint8_t *p) {
    return load32(p) | (uint64_t)load32(p + 4) << 32;
}

/* Reads one head from a buffer of exactly these bytes. */
static int head(const uint8_t *bytes, uint32_t length, struct cf_field *f) {
    uint8_t *exact = malloc(length + (length == 0));
    memcpy(exact, bytes, length);
    struct cf_reader r = {exact, exact + length};
    int result = cf_cbor_head(&r, f);
    CHECK(result != 0 || r.at == r.end || f->type >= CF_CBOR_BYTES);
    free(exact);
    return result;
}

/* Every number has one head: the shortest. A reader takes no longer one, and no part of it. */
static void test_heads(void) {
    static const struct {
        uint64_t value;
        uint32_t length;
    } edges[] = {
        {0, 1}, {22, 1}, {23, 1}, {24, 2}, {254, 2}, {255, 2}, {256, 3}, {65534, 3}, {65535, 3}, {65536, 5},
        {UINT32_MAX - 1, 5}, {UINT32_MAX, 5}, {U(1) << 32, 9}, {UINT64_MAX, 9},
    };
    struct cf_field f;

    for (uint32_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        uint8_t bytes[9];
        struct cf_writer w = {bytes, sizeof bytes, 0, 0};
        cf_put_head(&w, CF_CBOR_UINT, edges[i].value);
        CHECK_EQUAL(w.length, edges[i].length);
        CHECK_EQUAL(head(bytes, w.length, &f), 0);
        CHECK_EQUAL(f.type, edges[i].value > UINT32_MAX ? CF_CBOR_WIDE : CF_CBOR_UINT);
        CHECK_EQUAL(f.value, (uint32_t)edges[i].value);
        CHECK_EQUAL(f.high, edges[i].value >> 32);
        for (uint32_t n = 0; n < w.length; n++) {
            CHECK(head(bytes, n, &f) != 0);
        }
        for (uint32_t info = 24; info < 28; info++) { /* 1, 2, 4 or 8 bytes behind it */
            const uint32_t width = 1u << (info - 24);
            bytes[0] = (uint8_t)info;
            for (uint32_t n = 0; n < width; n++) {
                bytes[width - n] = (uint8_t)(edges[i].value >> 8 * n);
            }
            int fits = width == 8 || edges[i].value >> 8 * width == 0;
            CHECK(!fits || (head(bytes, 1 + width, &f) == 0) == (1 + width == edges[i].length));
        }
    }
}

/* First bytes that no item has, and strings, arrays and maps that claim more than there is. */
static void test_malformed_heads(void) {
    struct cf_field f;

    for (uint32_t first = 0; first < 256; first++) {
        const uint8_t bytes[] = {(uint8_t)first, 0, 0, 0, 0, 0, 0, 0, 0};
        const uint32_t type = first >> 5, info = first & 31;
        int taken = type < CF_CBOR_BYTES ? info < 24 : type >= CF_CBOR_BYTES && type <= CF_CBOR_MAP && info <= 8;
        CHECK_EQUAL(head(bytes, type < CF_CBOR_BYTES ? 1 : 9, &f) == 0, taken);
    }
}

/* A field that the map lacks is absent, whatever was in it before. */
static void test_maps(void) {
    static const struct {
        const char *bytes;
        uint32_t length;
        int taken;
    } maps[] = {
        {"\xa0", 1, 1}, {"\xa1\x01\x00", 3, 1}, {"\xa1\x00\x82\x01\x02", 5, 1}, {"\xa1\x00\x81\x80", 4, 0}, /* an array, but of numbers */
        {"\xa1\x00\x81\x41\x00", 5, 0}, {"\xa1\x00\x81\x1b\x00\x00\x00\x01\x00\x00\x00\x00", 12, 0}, {"\xa1\x00\xa0", 3, 0}, {"\xa1\x00\x20", 3, 1}, {"\xa1\x00\x81\x20", 4, 0}, {"\xa1\x20\x00", 3, 0}, {"\xa1\x1c\x00", 3, 0},
        {"\xbf", 1, 0}, {"\xbc", 1, 0}, {"\x80", 1, 0}, {"\xa1\x00\x42\x01", 4, 0}, {"\xa1\x00\x62\x01", 4, 0}, {"\xa1\x00\x82\x01", 4, 0}, {"", 0, 0},
        {"\xa1\x00\x1c", 3, 0}, {"\xa1\x00\x18\x17", 4, 0}, {"\xa1\x00\xf6", 3, 0}, {"\xa1\x00\xf5", 3, 0}, {"\xa1\x00\x81\xc0", 4, 0}, /* ends with what is no item */
        {"\xa1\x00\x81\xf4", 4, 0}, {"\xa1\x00", 2, 0}, {"\xa2\x00\x00\x01", 4, 0},
    };

    for (uint32_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        uint8_t *exact = malloc(maps[i].length + 1);
        struct cf_field f[2];
        memset(f, 0, sizeof f); /* numbers */
        f[0].value = f[1].value = 77;
        memcpy(exact, maps[i].bytes, maps[i].length);
        struct cf_reader r = {exact, exact + maps[i].length};
        CHECK_EQUAL(cf_cbor_map(&r, f, 2) == 0, maps[i].taken);
        if (i < 2) {
            CHECK(f[0].at == NULL);
            CHECK_EQUAL(f[0].value, 0);
            CHECK((f[1].at == NULL) == (i == 0));
        }
        free(exact);
    }
}

/* Sections for a code region of 256 bytes at 0x10000 and a data region of 8 at 0x20ff8. */
static void test_patch_numbers(void) {
    static const struct {
        const char *what;
        uint8_t section[40];
        uint32_t length;
        int32_t status;
        uint32_t at; /* in code, where... */
        uint64_t want; /* ...these eight bytes are then */
    } rows[] = {
        {"32 bits, the last of them: bias -2^31", {1, 1, 4, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 1, 0, 32, 0, 1, 0, 0}, 19, CF_OK, 0, 0x80000000},
        {"the same in 33 bits", {1, 1, 4, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x1f, 0, 0, 1, 0, 32, 0, 1, 0, 0}, 19, CF_ERR_BAD_PATCH, 0, 0},
        {"2^32 kinds", {0x80, 0x80, 0x80, 0x80, 0x10}, 5, CF_ERR_BAD_PATCH, 0, 0},
        {"2^32 patches", {1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0x80, 0x80, 0x80, 0x80, 0x10}, 17, CF_ERR_BAD_PATCH, 0, 0},
        {"six bytes", {0x80, 0x80, 0x80, 0x80, 0x80, 0}, 6, CF_ERR_BAD_PATCH, 0, 0},
        {"0 in two bytes", {0x80, 0}, 2, CF_ERR_BAD_PATCH, 0, 0},
        {"1 in two bytes", {0x81, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0}, 14, CF_ERR_BAD_PATCH, 0, 0},
        {"a step of two bytes: 128", {1, 0, 2, 0, 0, 0, 0, 0, 1, 0, 16, 0, 1, 0x80, 1, 4}, 16, CF_OK, 128, 2},
        {"a target of two bytes: 256, the end", {1, 0, 8, 0, 0, 0, 0, 0, 1, 0, 64, 0, 1, 0, 0x80, 4}, 16, CF_OK, 0, 0x10100},
        {"257 is beyond", {1, 0, 8, 0, 0, 0, 0, 0, 1, 0, 64, 0, 1, 0, 0x82, 4}, 16, CF_ERR_BAD_PATCH, 0, 0},
        {"the last place of a unit", {1, 0, 8, 0, 0, 0, 0, 0, 1, 0, 64, 0, 1, 0xf8, 1, 0}, 16, CF_OK, 248, 0x10000},
        {"one further", {1, 0, 8, 0, 0, 0, 0, 0, 1, 0, 64, 0, 1, 0xf9, 1, 0}, 16, CF_ERR_BAD_PATCH, 0, 0},
        {"a shift of 63", {1, 0, 1, 63, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0}, 15, CF_OK, 0, 0},
        {"a range of 64 bits", {1, 0, 8, 0, 64, 0, 0, 0, 1, 0, 64, 0, 1, 0, 0}, 15, CF_OK, 0, 0x10000},
        {"eight fields, the last beyond the unit",
         {1, 0, 1, 0, 0, 0, 0, 0, 8, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 8, 0}, 34, CF_ERR_BAD_PATCH, 0, 0},
        {"eight fields, all within it", {1, 0, 1, 0, 0, 0, 0, 0, 8, 0, 1, 0, 1, 1, 1, 2, 1, 2, 3, 1, 3, 4, 1, 4, 5, 1, 5, 6, 1, 6, 7, 1, 7, 1, 0, 0xac, 2}, 37, CF_OK, 0, 150},
        {"nine", {1, 0, 1, 0, 0, 0, 0, 0, 9, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0}, 39, CF_ERR_BAD_PATCH, 0, 0},
        {"a value's last bits", {1, 0, 4, 0, 0, 0, 0, 0, 1, 40, 24, 0, 1, 0, 0}, 15, CF_OK, 0, 0},
        {"bits 4 to 63", {1, 0, 8, 0, 0, 0, 0, 0, 1, 4, 60, 0, 1, 0, 0}, 15, CF_OK, 0, 0x1000},
        {"one bit more than a value has", {1, 0, 8, 0, 0, 0, 0, 0, 1, 5, 60, 0, 1, 0, 0}, 15, CF_ERR_BAD_PATCH, 0, 0},
        {"two fields, the second without bits", {1, 0, 1, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0}, 16, CF_ERR_BAD_PATCH, 0, 0},
        {"pages of a place within one", {1, 3, 8, 0, 0, 0, 0, 1, 1, 0, 64, 0, 1, 8, 14}, 15, CF_OK, 8, 0x10000}, /* to 0x20fff */
        {"pages of the next one", {1, 3, 8, 0, 0, 0, 0, 1, 1, 0, 64, 0, 1, 8, 16}, 15, CF_OK, 8, 0x11000},
    };

    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t code[256] = {0}, data[8];
        uint8_t *section = malloc(rows[i].length);
        memcpy(section, rows[i].section, rows[i].length);
        const struct cf_patch_map map = {.region = {{code, 0x10000, sizeof code + 1}, {data, 0x20ff8, sizeof data + 1}, {.targets = 0}}};
        uint32_t detail = 0;
        if (cf_patch_apply(&map, section, rows[i].length, &detail) != rows[i].status || load64(code + rows[i].at) != rows[i].want) {
            bench_fail(__FILE__, __LINE__, rows[i].what, (long long)load64(code + rows[i].at), (long long)rows[i].want);
        }
        free(section);
    }
}

/* Runs of bytes that are not 0, of all lengths around a block of COBS, come back as they are. */
static void test_blocks(void) {
    uint8_t bytes[480];
    struct image m;

    image_make(&m, PROGRAM_RETURN);
    m.bss_length = 600;
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    for (uint32_t run = 230; run <= 262; run++) {
        memset(bytes, 0x5a, sizeof bytes);
        bytes[run] = 0;
        CHECK_EQUAL(ask("uub", U(CF_MSG_WRITE), U(0), bytes, (uint32_t)sizeof bytes)->status, CF_OK);
        const struct answer *a = ask("uuu", U(CF_MSG_READ), U(0), U(sizeof bytes));
        CHECK_EQUAL(a->field[2].value, sizeof bytes);
        CHECK_EQUAL(memcmp(a->field[2].at, bytes, sizeof bytes), 0);
        a = ask("uuu", U(CF_MSG_READ), U(0), U(run)); /* the block ends with the packet, or before its checksum */
        CHECK_EQUAL(memcmp(a->field[2].at, bytes, run), 0);
    }
}

/* A request is in the past from half of all numbers on. */
static void test_distances(void) {
    static const struct {
        uint16_t ahead;
        enum cf_arrival unordered, ordered;
    } rows[] = {
        {0, CF_ARRIVAL_NEW, CF_ARRIVAL_NEW}, {1, CF_ARRIVAL_NEW, CF_ARRIVAL_OUTSIDE},
        {31, CF_ARRIVAL_NEW, CF_ARRIVAL_OUTSIDE}, {32, CF_ARRIVAL_NEW, CF_ARRIVAL_OUTSIDE},
        {33, CF_ARRIVAL_OUTSIDE, CF_ARRIVAL_OUTSIDE}, {0x7ffe, CF_ARRIVAL_OUTSIDE, CF_ARRIVAL_OUTSIDE},
        {0x7fff, CF_ARRIVAL_OUTSIDE, CF_ARRIVAL_OUTSIDE}, {0x8000, CF_ARRIVAL_SEEN, CF_ARRIVAL_SEEN},
        {0x8001, CF_ARRIVAL_SEEN, CF_ARRIVAL_SEEN}, {0xffff, CF_ARRIVAL_SEEN, CF_ARRIVAL_SEEN},
    };
    static const uint16_t nexts[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};

    for (uint32_t n = 0; n < sizeof nexts / sizeof nexts[0]; n++) {
        for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            struct cf_link l[2] = {{.next = nexts[n]}, {.next = nexts[n]}};
            const uint16_t seq = (uint16_t)(nexts[n] + rows[i].ahead);
            CHECK_EQUAL(cf_link_take(&l[0], seq, 0), rows[i].ordered);
            CHECK_EQUAL(cf_link_take(&l[1], seq, 1), rows[i].unordered);
            for (int j = 0; j < 2; j++) { /* what has been recorded is not new again */
                const enum cf_arrival first = j == 0 ? rows[i].ordered : rows[i].unordered;
                CHECK_EQUAL(cf_link_take(&l[j], seq, j), first == CF_ARRIVAL_NEW ? CF_ARRIVAL_SEEN : first);
            }
        }
    }
}

const struct test tests_of_numbers[] = {
    TEST(heads), TEST(malformed_heads), TEST(maps), TEST(patch_numbers), TEST(blocks), TEST(distances),
    {0},
};
