/*
 * Stored programs, on a memory whose power goes off at every operation, with what is in a slot made up by somebody hostile.
 *
 *     stored TURNS SEED
 *
 * What counts after power has gone: the runner starts with the old program or the new one, whole, and another one can be stored.
 */
#include "stored.h"

static unsigned long cuts, kept_old, got_new;

/* From this state of the memory, power is cut at every operation of storing r, or of clearing it if that is NULL. */
static void cut_everywhere(const struct recording *old, const struct recording *r) {
    const uint32_t n = 2 * bench.memory.length;
    const struct recording third = record(0x33, CF_STORE_AUTOSTART);
    uint8_t *before = malloc(n);

    memcpy(before, bench.slots, n);
    restart();
    (void)cut(0, BEFORE, r);
    const uint32_t all = operations;
    CHECK(all > 0);
    for (uint32_t how = 0; how < DAMAGES; how++) {
        for (uint32_t at = 1; at <= all; at++) {
            memcpy(bench.slots, before, n);
            restart();
            CHECK(cut(at, (enum damage)how, r));
            restart();
            const int is_new = r != NULL ? has(r) : has_nothing();
            CHECK(is_new || (old != NULL ? has(old) : has_nothing()));
            CHECK(is_new || at != all || how != AFTER);
            cuts++;
            *(is_new ? &got_new : &kept_old) += 1;
            must_keep(&third);
            restart();
            CHECK(has(&third));
        }
    }
    free(before);
}

static void test_power(void) {
    static const uint32_t geometry[][3] = {{2048, 256, 4}, {2048, 512, 256}, {2048, 2048, 8}, {1024, 1024, 1024 / 8}};
    const struct recording a = record(0xaa, CF_STORE_AUTOSTART), b = record(0xbb, CF_STORE_AUTOSTART), c = record(0xcc, 0);

    for (uint32_t i = 0; i < sizeof geometry / sizeof geometry[0]; i++) {
        bench_store(geometry[i][0], geometry[i][1], geometry[i][2]);
        restart();
        cut_everywhere(NULL, &a); /* nothing before */
        bench_store(geometry[i][0], geometry[i][1], geometry[i][2]);
        restart();
        must_keep(&a);
        cut_everywhere(&a, &b); /* one */
        memset(bench.slots, 0xff, 2 * bench.memory.length);
        restart();
        must_keep(&a);
        must_keep(&b);
        cut_everywhere(&b, &c); /* two: the older one goes */
        memset(bench.slots, 0xff, 2 * bench.memory.length);
        restart();
        must_keep(&a);
        must_keep(&b);
        cut_everywhere(&b, NULL); /* never back to the older one */
    }
    printf("power was cut %lu times: %lu times the old program, %lu times the new one\n", cuts, kept_old, got_new);
    CHECK(kept_old > 0 && got_new > 0);
}

/* --- What is refused. */

static void test_refused(void) {
    static const struct {
        uint32_t action, offset, n;
        int32_t status;
    } cases[] = {
        {CF_STORE_ERASE, 1, 0, CF_ERR_OUT_OF_RANGE},     {CF_STORE_ERASE, 255, 0, CF_ERR_OUT_OF_RANGE},
        {CF_STORE_ERASE, 2048, 0, CF_ERR_OUT_OF_RANGE},  {CF_STORE_ERASE, 0x80000000, 0, CF_ERR_OUT_OF_RANGE},
        {CF_STORE_ERASE, 0xffffff00, 0, CF_ERR_OUT_OF_RANGE},
        {CF_STORE_WRITE, 0, 4, CF_ERR_OUT_OF_RANGE},     {CF_STORE_WRITE, 28, 4, CF_ERR_OUT_OF_RANGE},
        {CF_STORE_WRITE, 28, 8, CF_ERR_OUT_OF_RANGE},    {CF_STORE_WRITE, 32, 3, CF_ERR_OUT_OF_RANGE},
        {CF_STORE_WRITE, 34, 4, CF_ERR_OUT_OF_RANGE},    {CF_STORE_WRITE, 2044, 8, CF_ERR_OUT_OF_RANGE},
        {CF_STORE_WRITE, 2048, 4, CF_ERR_OUT_OF_RANGE},  {CF_STORE_WRITE, 0xfffffffc, 4, CF_ERR_OUT_OF_RANGE},
        {CF_STORE_WRITE, 0xfffffffc, 8, CF_ERR_OUT_OF_RANGE}, {CF_STORE_WRITE, 2048 + 32, 4, CF_ERR_OUT_OF_RANGE},
        {CF_STORE_WRITE, 32, 0, CF_OK},                  {CF_STORE_WRITE, 2044, 4, CF_OK},
        {CF_STORE_COMMIT, 0, 7, CF_ERR_BAD_LENGTH},      {CF_STORE_COMMIT, 0, 8, CF_ERR_BAD_LENGTH},
        {CF_STORE_CLEAR + 1, 0, 0, CF_ERR_BAD_MESSAGE},  {0xffffffff, 0, 0, CF_ERR_BAD_MESSAGE},
    };
    static const uint32_t lengths[] = {0, 2048 - 31, 2048, 0x80000000, 0xffffffff};
    const struct recording a = record(0xaa, CF_STORE_AUTOSTART);
    struct recording bad = a;
    uint8_t bytes[8];

    bench_store(2048, 256, 4);
    restart();
    must_keep(&a);
    restart();
    CHECK(has(&a));
    for (uint32_t action = CF_STORE_ERASE; action <= CF_STORE_CLEAR + 1; action++) { /* while it ticks */
        CHECK_EQUAL(status_of(action, 0, bytes, 8), CF_ERR_BAD_STATE);
    }
    ask("u", U(CF_MSG_STOP));
    memset(bytes, 0xff, sizeof bytes);
    uint8_t *before = malloc(4096);
    memcpy(before, bench.slots, 4096);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_EQUAL(status_of(cases[i].action, cases[i].offset, bytes, cases[i].n), cases[i].status);
    }
    for (uint32_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        CHECK_EQUAL(ask("uuubuu", U(CF_MSG_STORE), U(CF_STORE_COMMIT), U(0), bytes, 8u, U(lengths[i]), U(0))->status, CF_ERR_BAD_LENGTH);
    }
    CHECK_EQUAL(ask("uuubuu", U(CF_MSG_STORE), U(CF_STORE_COMMIT), U(0), bytes, 8u, U(2048 - 32), U(0))->status, CF_ERR_DIGEST_MISMATCH);
    CHECK_EQUAL(commit(&bad), CF_ERR_DIGEST_MISMATCH); /* its records are not in that slot */
    bad.flags = 2;
    CHECK_EQUAL(commit(&bad), CF_ERR_UNSUPPORTED);
    CHECK_EQUAL(memcmp(before, bench.slots, 4096), 0);
    free(before);

    /* What is not erased does not take another value, nor does a memory that is worn out. */
    CHECK_EQUAL(status_of(CF_STORE_WRITE, 32, "\0\0\0\0", 4), CF_OK);
    CHECK_EQUAL(status_of(CF_STORE_WRITE, 32, "\1\0\0\0", 4), CF_ERR_NOT_STORED);
    bench.stuck = 1;
    CHECK_EQUAL(status_of(CF_STORE_ERASE, 0, "", 0), CF_ERR_NOT_STORED);
    CHECK_EQUAL(status_of(CF_STORE_CLEAR, 0, "", 0), CF_ERR_NOT_STORED);
    CHECK_EQUAL(look().sequence, 1);
    bench.stuck = 0;
    must_keep(&a);
    bench.stuck = 1;
    CHECK_EQUAL(status_of(CF_STORE_CLEAR, 0, "", 0), CF_ERR_NOT_STORED);
    CHECK_EQUAL(look().sequence, 2);
    bench.stuck = 0;
    CHECK_EQUAL(status_of(CF_STORE_CLEAR, 0, "", 0), CF_OK);
    CHECK(is_cleared());
    CHECK_EQUAL(ask("uuuu", U(CF_MSG_READ), U(0), U(0), U(CF_REGION_STORE))->status, CF_OK);
    CHECK_EQUAL(ask("uuuu", U(CF_MSG_READ), U(0), U(1), U(CF_REGION_STORE))->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(ask("uubu", U(CF_MSG_WRITE), U(0), "", 0u, U(CF_REGION_STORE))->status, CF_ERR_OUT_OF_RANGE);
    restart();
    CHECK(has_nothing());
}

/* A runner whose platform has no such memory. */
static void test_none(void) {
    if (CF_SMALL) {
        return; /* there it is one without this code */
    }
    restart();
    bench.platform.store = NULL;
    memset(&bench.core, 0, sizeof bench.core);
    cf_core_init(&bench.core, &bench.platform);
    CHECK_EQUAL(now_of(hello(1), NOW_LOOP_FEATURES) & CF_LOOP_STORE, 0);
    CHECK_EQUAL(status_of(CF_STORE_LOOK, 0, "", 0), CF_ERR_UNSUPPORTED);
    CHECK_EQUAL(ask("uuuu", U(CF_MSG_READ), U(0), U(0), U(CF_REGION_STORE))->status, CF_ERR_OUT_OF_RANGE);
}

static void test_held(void) {
    static const struct cf_fault fault = {CF_FAULT_MEMORY, 1, 2, 3};
    const struct recording a = record(0xaa, CF_STORE_AUTOSTART);

    bench_store(2048, 256, 4);
    restart();
    must_keep(&a);
    bench.held = 1;
    restart();
    CHECK_EQUAL(look().state, CF_STORED_HELD);
    CHECK_EQUAL(look().sequence, 1);
    CHECK_EQUAL(bench.core.state, CF_STATE_IDLE);
    bench.held = 0;
    bench.boot_fault = &fault;
    memset(&bench.core, 0, sizeof bench.core);
    cf_core_init(&bench.core, &bench.platform);
    CHECK_EQUAL(hello(1)->status, CF_OK);
    CHECK_EQUAL(look().state, CF_STORED_HELD);
    restart();
    CHECK(has(&a));
}

/* The record that is refused is told, and what had been started ends. */
static void test_refused_records(void) {
    static const uint64_t codes[] = {CF_MSG_HELLO, CF_MSG_RUN, CF_MSG_BAUD, CF_MSG_SUBSCRIBE, CF_MSG_STORE, 8, CF_MSG_STORE + 1, 100};
    static const uint8_t malformed[] = {0xa1, 0x00};
    struct recording r;

    bench_store(2048, 256, 4);
    for (uint32_t i = 0; i < 3 + sizeof codes / sizeof codes[0]; i++) {
        uint32_t refusal = (uint32_t)-CF_ERR_BAD_MESSAGE;
        r = record(0xaa, CF_STORE_AUTOSTART);
        if (i == 0) {
            add(&r, malformed, sizeof malformed);
        } else if (i == 1) {
            ADD(&r, "u", U(CF_MSG_SEAL)); /* of a runner that ticks */
            refusal = (uint32_t)-CF_ERR_BAD_STATE;
        } else if (i == 2) {
            store16(r.bytes + r.length, 0xffff);
            r.length += 2;
            refusal = (uint32_t)-CF_ERR_BAD_LENGTH;
        } else {
            ADD(&r, "uuuuuuu", codes[i - 3], U(1), U(1), U(1), U(1), U(1), U(1));
        }
        restart();
        must_keep(&r);
        restart();
        const struct told t = look();
        CHECK_EQUAL(t.state, CF_STORED_REFUSED);
        CHECK_EQUAL(t.record, 7);
        CHECK_EQUAL(t.refusal, refusal);
        CHECK_EQUAL(bench.core.state, CF_STATE_IDLE);
        CHECK(!bench.ticking);
    }
    /* A length of 0, and a byte that is no length, end them. */
    r = record(0xaa, CF_STORE_AUTOSTART);
    memset(r.bytes + r.length, 0, 2);
    add(&r, malformed, sizeof malformed);
    memset(r.bytes + r.length - 4, 0, 2);
    restart();
    must_keep(&r);
    restart();
    CHECK(has(&r));
    r = record(0xaa, 0);
    r.bytes[r.length++] = 1;
    must_keep(&r);
    restart();
    CHECK(has(&r));
}

/* --- Slots that somebody else has filled. */

static void put_slot(uint32_t slot, const struct recording *r, uint32_t sequence, uint32_t length) {
    struct cf_stored h = {CF_STORE_MAGIC, sequence, r->flags, length, 0, 0};
    uint8_t *at = bench.slots + slot * bench.memory.length;

    memcpy(at + bench.memory.first, r->bytes, r->length);
    h.digest = cf_digest(CF_DIGEST_EMPTY, at + bench.memory.first, length < 2048 - 32 ? length : 0);
    h.check = cf_digest(CF_DIGEST_EMPTY, &h, offsetof(struct cf_stored, check));
    memcpy(at, &h, sizeof h);
}

static void test_sequences(void) {
    static const uint32_t numbers[][2] = {{1, 2}, {0xffffffff, 0}, {0xfffffff0, 5}, {0x7fffffff, 0x80000000}, {0, 0x7fffffff}};
    const struct recording a = record(0xaa, 0), b = record(0xbb, CF_STORE_AUTOSTART), c = record(0xcc, 0);

    bench_store(2048, 256, 4);
    for (uint32_t i = 0; i < 2 * sizeof numbers / sizeof numbers[0]; i++) {
        const uint32_t slot = i & 1u;
        put_slot(slot, &a, numbers[i / 2][0], a.length);
        put_slot(1 - slot, &b, numbers[i / 2][1], b.length);
        restart();
        CHECK(has(&b));
        must_keep(&c);
        CHECK_EQUAL(look().sequence, numbers[i / 2][1] + 1);
        restart();
        CHECK(has(&c));
    }
    /* Lengths that are not there. */
    static const uint32_t lengths[] = {0, 2048 - 31, 2048, 0x7fffffff, 0xffffffff};
    for (uint32_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        memset(bench.slots, 0xff, 4096);
        put_slot(0, &a, 1, lengths[i]);
        restart();
        CHECK(has_nothing());
    }
}

/* A request of any kind, not always right, with numbers at edges. */
static void add_any(struct recording *r) {
    static const char *const forms[] = {"u", "uu", "uuu", "uub", "uuub", "uuuu", "uuuuuu", "uubu"};
    static const uint32_t edges[] = {0, 1, 2, 4, 16, 64, 511, 512, 1023, 1024, 2047, 2048, 0x7fffffff, 0x80000000, 0xffffffff};
    uint64_t v[8];
    uint8_t b[600];

    for (uint32_t i = 0; i < 8; i++) {
        v[i] = below(3) == 0 ? next() : edges[below(sizeof edges / sizeof edges[0])];
    }
    const char *form = forms[below(8)];
    const uint64_t code = 1 + below(CF_MSG_STORE + 1);
    uint32_t n;
    if (strcmp(form, "uub") == 0) {
        n = body(b, sizeof b, form, code, v[0], r->bytes, below(64));
    } else if (strcmp(form, "uuub") == 0) {
        n = body(b, sizeof b, form, code, v[0] % 5, v[1], r->bytes, below(64));
    } else if (strcmp(form, "uubu") == 0) {
        n = body(b, sizeof b, form, code, v[0], r->bytes, below(64), U(CF_REGION_LIVE));
    } else {
        n = body(b, sizeof b, form, code, v[0], v[1], v[2], v[3], v[4]);
    }
    if (below(4) == 0 && n > 0) {
        b[below(n)] ^= (uint8_t)(1u << below(8));
    }
    add(r, b, n);
}

/* Records with valid digests that nobody sane would have written. */
static struct recording hostile(void) {
    struct recording r = {.flags = below(2)};

    if (below(2) != 0) {
        r = record((uint8_t)next(), below(2));
    }
    for (uint32_t n = below(6); n > 0 && r.length < 800; n--) {
        add_any(&r);
    }
    for (uint32_t n = below(4); n > 0 && r.length > 0; n--) { /* lengths of records among them */
        r.bytes[below(r.length)] = (uint8_t)next();
    }
    if (below(4) == 0) {
        r.length = r.length == 0 ? 0 : below(r.length);
    }
    if (below(6) == 0) {
        for (r.length = 1 + below(MOST); below(4) != 0;) {
            r.bytes[below(r.length)] = (uint8_t)next();
        }
    }
    return r;
}

static unsigned long states[CF_STORED_NEXT + 1];

static void test_hostile(unsigned long turns) {
    const struct recording a = record(0xaa, CF_STORE_AUTOSTART);

    bench_store(2048, 256, 4);
    for (unsigned long turn = 0; turn < turns; turn++) {
        if (below(8) == 0) {
            for (uint32_t i = 0; i < 4096; i++) {
                bench.slots[i] = (uint8_t)next();
            }
        }
        for (uint32_t slot = 0; slot < 2; slot++) {
            const struct recording r = hostile();
            if (below(4) != 0 && r.length > 0) {
                put_slot(slot, &r, below(4) == 0 ? next() : below(3) - 1u, r.length);
            }
            if (below(8) == 0) {
                bench.slots[slot * 2048 + below(64)] ^= (uint8_t)(1u << below(8));
            }
        }
        restart();
        const struct told t = look();
        CHECK(t.state <= CF_STORED_REFUSED && (t.state == CF_STORED_NONE) == (t.length == 0));
        CHECK(t.state != CF_STORED_REFUSED || (bench.core.state == CF_STATE_IDLE && !bench.ticking && t.record != 0 && t.refusal != 0));
        CHECK(bench.core.state != CF_STATE_RUNNING && bench.core.baud_next == 0);
        states[t.state]++;
        for (uint32_t n = 3; n > 0 && bench.ticking && bench.next_tick != UINT64_MAX; n--) {
            bench_tick(0);
            CHECK_EQUAL(cf_core_poll(&bench.core), 0);
        }
        if (below(8) == 0) { /* whatever it was, another one can be stored */
            must_keep(&a);
            restart();
            CHECK(has(&a));
        }
    }
    printf("%lu hostile memories: nothing valid %lu, carried out %lu, refused %lu\n", turns, states[CF_STORED_NONE], states[CF_STORED_DONE],
           states[CF_STORED_REFUSED]);
    CHECK(states[CF_STORED_NONE] > 0 && states[CF_STORED_DONE] > 0 && states[CF_STORED_REFUSED] > 0);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: stored TURNS SEED\n");
        return 2;
    }
    rng = strtoull(argv[2], NULL, 10) * 2 + 1;
    test_power();
    test_refused();
    test_none();
    test_held();
    test_refused_records();
    test_sequences();
    test_hostile(strtoul(argv[1], NULL, 10));
    return 0;
}
