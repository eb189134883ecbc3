/* What a host records and stores, what is there afterwards, and a memory whose power goes off: for stored.c alone. */
#ifndef CF_TEST_STORED_H
#define CF_TEST_STORED_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "core/digest.h"
#include "image.h"
#include "wire.h"

#define U(v) ((uint64_t)(v))
#define MOST 1500u /* bytes of records */

static uint64_t rng;

/* xorshift64* */
static uint32_t next(void) {
    rng ^= rng >> 12;
    rng ^= rng << 25;
    rng ^= rng >> 27;
    return (uint32_t)(rng * 0x2545f4914f6cdd1du >> 32);
}

static uint32_t below(uint32_t n) {
    return (uint32_t)((uint64_t)next() * n >> 32);
}

struct recording {
    uint8_t bytes[MOST];
    uint32_t length;
    uint32_t flags;
};

static void add(struct recording *r, const uint8_t *request, uint32_t n) {
    CHECK(n + 2 <= MOST - r->length);
    store16(r->bytes + r->length, (uint16_t)n);
    memcpy(r->bytes + r->length + 2, request, n);
    r->length += n + 2;
}

#define ADD(r, ...)                                      \
    do {                                                 \
        uint8_t b_[600];                                 \
        add((r), b_, body(b_, sizeof b_, __VA_ARGS__));  \
    } while (0)

/* A program that has this byte in its code, and its loop. */
static struct recording record(uint8_t mark, uint32_t flags) {
    static const uint32_t tasks[] = {0, 1};
    struct recording r = {.flags = flags};
    struct image m;
    uint8_t b[600];

    image_make(&m, PROGRAM_RETURN);
    m.code[5] = mark;
    ADD(&r, "ub", U(0), "a note", 6u);
    add(&r, b, image_begin(&m, b, sizeof b));
    ADD(&r, "uuub", U(CF_MSG_CHUNK), U(CF_REGION_CODE), U(0), m.code, m.code_length);
    ADD(&r, "uuub", U(CF_MSG_CHUNK), U(CF_REGION_DATA), U(0), m.data, m.data_length);
    ADD(&r, "u", U(CF_MSG_SEAL));
    ADD(&r, "uuuuauuuu", U(CF_MSG_START), U(1000), U(0), U(0), tasks, 2u, U(0), U(0), U(0), U(0));
    return r;
}

static uint64_t digest_of(const struct recording *r) {
    return cf_digest(CF_DIGEST_EMPTY, r->bytes, r->length);
}

/* What STORE answers, behind the geometry. */
struct told {
    uint32_t state, sequence, flags, length, digest[2], record, refusal;
};

static int32_t status_of(uint32_t action, uint32_t offset, const void *bytes, uint32_t n) {
    return ask("uuub", U(CF_MSG_STORE), U(action), U(offset), bytes, n)->status;
}

static int32_t commit(const struct recording *r) {
    const uint64_t digest = digest_of(r);

    return ask("uuubuu", U(CF_MSG_STORE), U(CF_STORE_COMMIT), U(0), &digest, 8u, U(r->length), U(r->flags))->status;
}

static struct told look(void) {
    const struct answer *a = ask("uuub", U(CF_MSG_STORE), U(CF_STORE_LOOK), U(0), "", 0u);
    struct told t;

    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->field[2].value, 16 + sizeof t);
    CHECK_EQUAL(memcmp(a->field[2].at, &bench.memory, 16), 0);
    memcpy(&t, a->field[2].at + 16, sizeof t);
    return t;
}

/* Stores as a host does: erases all pages from the first one on, writes, commits. */
static int32_t keep(const struct recording *r) {
    const uint32_t unit = bench.memory.unit, first = bench.memory.first;
    int32_t status = CF_OK;

    for (uint32_t at = 0; at < first + r->length && status == CF_OK; at += bench.memory.page) {
        status = status_of(CF_STORE_ERASE, at, "", 0);
    }
    for (uint32_t at = 0; at < r->length && status == CF_OK;) {
        uint8_t piece[256];
        uint32_t n = sizeof piece / unit * unit;
        memset(piece, 0xff, sizeof piece);
        memcpy(piece, r->bytes + at, n < r->length - at ? n : r->length - at);
        n = n < r->length - at ? n : (r->length - at + unit - 1) / unit * unit;
        status = status_of(CF_STORE_WRITE, first + at, piece, n);
        at += n;
    }
    return status == CF_OK ? commit(r) : status;
}

static void restart(void) {
    bench_start(PACKET);
    CHECK_EQUAL(hello(1)->status, CF_OK);
}

static void must_keep(const struct recording *r) {
    ask("u", U(CF_MSG_STOP));
    CHECK_EQUAL(keep(r), CF_OK);
    CHECK_EQUAL(look().state, CF_STORED_NEXT);
}

/* Whether this program is there as a whole, with its loop or without. */
static int has(const struct recording *r) {
    const uint64_t digest = digest_of(r);
    const struct told t = look();
    uint8_t mark = r->bytes[0];

    for (uint32_t at = 0; at < r->length; at += 2u + load16(r->bytes + at)) { /* the byte of the code, in the first CHUNK */
        if (r->bytes[at + 4] == CF_MSG_CHUNK) {
            mark = r->bytes[at + 2 + 10 + 5];
            break;
        }
    }
    if (t.state != CF_STORED_DONE || memcmp(t.digest, &digest, 8) != 0 || t.length != r->length || t.flags != r->flags) {
        return 0;
    }
    CHECK_EQUAL(bench.core.state, r->flags != 0 ? CF_STATE_TICKING : CF_STATE_READY);
    CHECK_EQUAL(bench.platform.code_write[5], mark);
    if (r->flags != 0) {
        bench_tick(0);
        CHECK_EQUAL(load32(bench.platform.data + 16), 1);
    }
    const struct answer *a = ask("uuuu", U(CF_MSG_READ), U(0), U(100), U(CF_REGION_STORE));
    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(memcmp(a->field[2].at, r->bytes, 100), 0);
    return 1;
}

static int is_cleared(void) {
    const struct told t = look(), none = {0};

    return memcmp(&t, &none, sizeof t) == 0;
}

/* So that nothing was loaded. */
static int has_nothing(void) {
    CHECK(!is_cleared() || bench.core.state == CF_STATE_IDLE);
    return is_cleared();
}

/* --- Power. */

enum damage { BEFORE, HALF, SOME_BITS, GARBAGE, MORE_GARBAGE, AFTER, DAMAGES };

static jmp_buf off;
static uint32_t operations, cut_at; /* counted from 1 on; 0: never */
static enum damage damage;

static void power(uint8_t *at, const uint8_t *bytes, uint32_t n) {
    operations++;
    if (operations != cut_at) {
        return;
    }
    for (uint32_t i = 0; i < n && damage != BEFORE; i++) {
        const uint8_t after = bytes == NULL ? 0xff : at[i] & bytes[i];
        if (damage == AFTER || (damage == HALF && i < n / 2)) {
            at[i] = after;
        } else if (damage == SOME_BITS) { /* each has changed, or not yet */
            at[i] = (uint8_t)(at[i] ^ ((at[i] ^ after) & (uint8_t)next()));
        } else if (damage == GARBAGE || damage == MORE_GARBAGE) {
            at[i] = (uint8_t)next();
        }
    }
    longjmp(off, 1);
}

/* The operations of what is done now without a cut, or up to one. Returns 1 if power went off. */
static int cut(uint32_t at, enum damage how, const struct recording *r) {
    operations = 0;
    cut_at = at;
    damage = how;
    bench.power = power;
    ask("u", U(CF_MSG_STOP));
    if (setjmp(off) != 0) {
        bench.power = NULL;
        return 1;
    }
    CHECK_EQUAL(r != NULL ? keep(r) : status_of(CF_STORE_CLEAR, 0, "", 0), CF_OK);
    bench.power = NULL;
    return 0;
}

#endif
