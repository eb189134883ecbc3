/* The pins: lists of operations on registers. */
#include <string.h>

#include "../wire.h"
#include "cases.h"

#define PINS_AT 32u /* in the code block, of 32 + 16 * (1 + entries) bytes */
#define R CF_PIN_READ
#define W CF_PIN_WRITE
#define S CF_PIN_SLOT
#define BITS_8 0x00u
#define BITS_16 0x10u
#define BITS_32 0x20u
#define SHIFT(n) ((uint32_t)(n) << 8)
#define READS(n) ((uint32_t)(n) << 16)

struct entry {
    uint32_t control, address, mask, value;
};

static uint32_t reg(uint32_t address) {
    if (address == COUNTER_AT) {
        return load32(bench.registers + PLAIN_LENGTH + GUARDED_LENGTH);
    }
    return load32(bench.registers + (address - PLAIN_AT < PLAIN_LENGTH ? address - PLAIN_AT : address - GUARDED_AT + PLAIN_LENGTH));
}

/* An image with lists of so many entries, that lie one behind the other. */
static void make(struct image *m, const uint32_t count[4], const struct entry *e) {
    uint32_t entries = 0;

    image_make(m, PROGRAM_RETURN);
    for (uint32_t i = 0; i < 4; i++) {
        cf_store32(m->code + PINS_AT + 4 * i, count[i]);
        entries += count[i];
    }
    memcpy(m->code + PINS_AT + 16, e, entries * sizeof *e);
    m->code_length = PINS_AT + 16 + entries * (uint32_t)sizeof *e;
}

static const struct answer *start_at(uint32_t place) {
    static const uint32_t every_tick[] = {0, 1};

    return ask("uuuuauuuuuu", U(CF_MSG_START), U(1000), U(0), U(0), every_tick, 2u, U(0), U(0), U(0), U(0), U(0), U(place));
}

#if CF_HAS_PINS
/* A fresh runner with an image; registers are 0. */
static void with(const uint32_t count[4], const struct entry *e) {
    struct image m;

    make(&m, count, e);
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(load(&m)->status, CF_OK);
}

static uint32_t seen; /* what the register at PLAIN_AT + 4 was when the task ran, and its slot */
static uint32_t seen_slot;

static uint32_t controlling(uint32_t offset, uint8_t *data) {
    (void)offset;
    seen = reg(PLAIN_AT + 4);
    seen_slot = load32(data + 8);
    cf_store32(data + 12, seen_slot + 1);
    return load32(data + 16); /* a fault, if it is its kind */
}

static void test_what_entries_do(void) {
    static const struct entry e[] = {
        {W | BITS_32, PLAIN_AT, UINT32_MAX, 0x11223344},
        {W | BITS_8, PLAIN_AT + 1, UINT32_MAX, 0xaabbccee},
        {W | BITS_16, PLAIN_AT + 2, UINT32_MAX, 0xaabb7788},
        {W | BITS_32, PLAIN_AT + 4, 0x00ff00ff, 0x12345678}, /* not read: the other bits are 0 */
        {R | W | BITS_32, PLAIN_AT, 0x0000ff00, 0x12345678}, /* of its value only what the mask has */
        {R | W | BITS_8, PLAIN_AT + 3, 0x0f, 0x05},
        {R | S | BITS_32 | SHIFT(4), PLAIN_AT, 0x0ff0, 8},
        {R | S | BITS_16, PLAIN_AT + 2, UINT32_MAX, 12},
        {R | S | BITS_8, PLAIN_AT + 2, UINT32_MAX, 16},
        {R | W | S | BITS_32 | SHIFT(20), PLAIN_AT + 8, 0xfff00000, 8},
        {W | S | BITS_16, PLAIN_AT + 12, UINT32_MAX, 12},
        {R | BITS_32, COUNTER_AT, 0, 1}, /* read, and no more: it waits for nothing */
        {R | W | BITS_32, GUARDED_AT + 4, 0x0000f00f, 0x0000a005},
        {BITS_32, PLAIN_AT + 16, UINT32_MAX, 5}, /* nothing */
    };

    with((const uint32_t[]){sizeof e / sizeof e[0], 0, 0, 0}, e);
    CHECK_EQUAL(start_at(PINS_AT)->status, CF_OK);
    CHECK_EQUAL(reg(PLAIN_AT), 0x75885644);
    CHECK_EQUAL(reg(PLAIN_AT + 4), 0x00340078);
    CHECK_EQUAL(get_data(8, NULL), 0x64);
    CHECK_EQUAL(get_data(12, NULL), 0x7588);
    CHECK_EQUAL(get_data(16, NULL), 0x88);
    CHECK_EQUAL(reg(PLAIN_AT + 8), 0x06400000);
    CHECK_EQUAL(reg(PLAIN_AT + 12), 0x7588);
    CHECK_EQUAL(reg(COUNTER_AT), 1);
    CHECK_EQUAL(reg(GUARDED_AT + 4), 0x0000a005);
    CHECK_EQUAL(bench.accesses, 4 + 2 * 2 + 3 + 2 + 1 + 1 + 2);
}

#define INPUT (PLAIN_AT)
#define OUTPUT (PLAIN_AT + 4)
#define SAFE_VALUE 77u

static const uint32_t one_of_each[] = {1, 1, 1, 1};
static const struct entry in_and_out[] = {
    {W | BITS_32, INPUT, UINT32_MAX, 100},
    {R | S | BITS_32, INPUT, UINT32_MAX, 8},
    {W | S | BITS_32, OUTPUT, UINT32_MAX, 12},
    {W | BITS_32, OUTPUT, UINT32_MAX, SAFE_VALUE},
};

/* Inputs come before the tasks of a tick, outputs behind them; safe values when the loop ends, whatever ends it. */
static void test_in_and_out(void) {
    for (uint32_t fault = 0; fault <= CF_FAULT_ILLEGAL; fault += CF_FAULT_ILLEGAL) {
        with(one_of_each, in_and_out);
        bench.task = controlling;
        CHECK_EQUAL(start_at(PINS_AT)->status, CF_OK);
        CHECK_EQUAL(reg(INPUT), 100);
        CHECK_EQUAL(reg(OUTPUT), 0);
        bench_tick(0);
        CHECK_EQUAL(seen_slot, 100);
        CHECK_EQUAL(seen, 0);
        CHECK_EQUAL(reg(OUTPUT), 101);
        cf_store32(bench.registers, 200);
        bench_tick(0);
        CHECK_EQUAL(seen_slot, 200);
        CHECK_EQUAL(seen, 101);
        CHECK_EQUAL(reg(OUTPUT), 201);
        CHECK_EQUAL(reg(INPUT), 200); /* START has done its list once */
        if (fault != 0) {
            cf_store32(bench.core.image[0].space.data + 16, fault);
            bench_tick(0);
            CHECK_EQUAL(reg(OUTPUT), SAFE_VALUE);
            CHECK_EQUAL(stop()->count[CF_LOOP_END], CF_LOOP_END_FAULT);
        } else {
            CHECK_EQUAL(stop()->count[CF_LOOP_END], CF_LOOP_END_STOPPED);
            CHECK_EQUAL(reg(OUTPUT), SAFE_VALUE);
        }
    }
    const uint32_t accesses = bench.accesses;
    stop();
    CHECK_EQUAL(bench.accesses, accesses);
}

/* Without `pins` there are none, also where there have been some. */
static void test_without_pins(void) {
    with(one_of_each, in_and_out);
    CHECK_EQUAL(start_at(PINS_AT)->status, CF_OK);
    stop();
    bench.accesses = 0;
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_OK);
    bench_tick(0);
    stop();
    CHECK_EQUAL(start_at(0)->status, CF_OK);
    bench_tick(0);
    stop();
    CHECK_EQUAL(bench.accesses, 0);
}

static void fault_is(const struct fault *f, uint32_t entry, uint32_t tick, uint32_t address, uint32_t last) {
    const struct fault want = {.kind = CF_FAULT_WAIT, .cause = last, .address = address, .entry = entry, .run = tick};

    CHECK_EQUAL(memcmp(f, &want, sizeof want), 0);
}

static void test_waits(void) {
    static const uint32_t reads[] = {1, 2, 3, 65535};
    struct entry e[] = {
        {R | BITS_32, COUNTER_AT, UINT32_MAX, 0},
        {W | BITS_32, PLAIN_AT, UINT32_MAX, 1},
    };

    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t n = reads[i];
        e[0].control = R | BITS_32 | READS(n);
        e[0].value = n; /* just in time */
        with((const uint32_t[]){2, 0, 0, 0}, e);
        CHECK_EQUAL(start_at(PINS_AT)->status, CF_OK);
        CHECK_EQUAL(reg(COUNTER_AT), n);
        CHECK_EQUAL(reg(PLAIN_AT), 1);

        e[0].value = n + 1; /* too late */
        with((const uint32_t[]){2, 0, 0, 0}, e);
        const struct answer *a = start_at(PINS_AT);
        CHECK_EQUAL(a->status, CF_ERR_FAULT);
        CHECK_EQUAL(a->field[2].value, 1);
        CHECK_EQUAL(reg(COUNTER_AT), n);
        CHECK_EQUAL(reg(PLAIN_AT), 0);
        CHECK_EQUAL(state(), CF_STATE_READY);
        CHECK_EQUAL(bench.ticking, 0);
        CHECK_EQUAL(ask("u", U(CF_MSG_LIVE))->status, CF_ERR_BAD_STATE);
    }
}

/* A wait of a tick in vain, before the tasks or behind them, ends the loop, with safe values. */
static void test_wait_in_a_tick(void) {
    const struct entry e[] = {
        {R | BITS_32 | READS(4), COUNTER_AT, 0x0f, 2},
        {W | BITS_32, OUTPUT, UINT32_MAX, SAFE_VALUE},
    };

    for (uint32_t list = 1; list <= 2; list++) {
        with((const uint32_t[]){0, list == 1, list == 2, 1}, e);
        bench.task = controlling;
        CHECK_EQUAL(start_at(PINS_AT)->status, CF_OK);
        bench_tick(0);
        CHECK_EQUAL(reg(COUNTER_AT), 2);
        CHECK_EQUAL(reg(OUTPUT), 0);
        CHECK_EQUAL(bench.calls, 1);
        bench_tick(0);
        CHECK_EQUAL(reg(COUNTER_AT), 6);
        CHECK_EQUAL(reg(OUTPUT), SAFE_VALUE);
        CHECK_EQUAL(bench.calls, list);
        CHECK_EQUAL(bench.next_tick, UINT64_MAX);
        const struct told *t = live();
        CHECK_EQUAL(t->count[CF_LOOP_END], CF_LOOP_END_WAIT);
        CHECK_EQUAL(t->count[CF_LOOP_TICKS], 2);
        fault_is(&t->fault, 1, 1, COUNTER_AT, 6);
        CHECK_EQUAL(state(), CF_STATE_READY);
        fault_is(fault_of(ask("u", U(CF_MSG_STATUS)), CF_KEY_STATUS_RSP_FAULT), 1, 1, COUNTER_AT, 6);
    }
}

struct refused {
    const char *what;
    struct entry e;
    int in_safe_only; /* other lists may have it */
};

#define LAST (PLAIN_AT + PLAIN_LENGTH)
static const struct refused refused[] = {
    {"bits that are none", {W | BITS_32 | 8, PLAIN_AT, 1, 0}, 0},
    {"bits between width and shift", {W | BITS_32 | 0x40, PLAIN_AT, 1, 0}, 0},
    {"and the other one", {W | BITS_32 | 0x80, PLAIN_AT, 1, 0}, 0},
    {"bits behind the shift", {W | BITS_32 | 0x2000, PLAIN_AT, 1, 0}, 0},
    {"and the last one", {W | BITS_32 | 0x8000, PLAIN_AT, 1, 0}, 0},
    {"64 bits", {W | 0x30, PLAIN_AT, 1, 0}, 0},
    {"16 bits that are not aligned", {W | BITS_16, PLAIN_AT + 1, 1, 0}, 0},
    {"32 bits that are not aligned", {R | BITS_32, PLAIN_AT + 2, 1, 0}, 0},
    {"nor those", {R | BITS_32, PLAIN_AT + 1, 1, 0}, 0},
    {"in front of a window", {R | BITS_8, PLAIN_AT - 1, 1, 0}, 0},
    {"behind it", {R | BITS_8, LAST, 1, 0}, 0},
    {"of 16 bits", {R | BITS_16, LAST, 1, 0}, 0},
    {"of 32 bits", {W | BITS_32, LAST, 1, 0}, 0},
    {"over its end, 16 bits", {W | BITS_16, LAST - 1, 1, 0}, 0},
    {"over its end, 32 bits", {W | BITS_32, LAST - 2, 1, 0}, 0},
    {"no register at all", {BITS_32, 0, 0, 0}, 0},
    {"the first address", {R | BITS_32, 0, 1, 0}, 0},
    {"over the end of all addresses", {R | BITS_32, 0xfffffffe, 1, 0}, 0},
    {"in front of the last one", {R | BITS_32, COUNTER_AT - 4, 1, 0}, 0},
    {"a guarded one, in full", {W | BITS_32, GUARDED_AT, UINT32_MAX, 0}, 0},
    {"as a whole", {W | BITS_32, GUARDED_AT, 1, 0}, 0},
    {"another bit of it", {R | W | BITS_32, GUARDED_AT, 0x10, 0}, 0},
    {"beside right ones", {R | W | BITS_32, GUARDED_AT + 4, 0x8000ff0f, 0}, 0},
    {"a part of it", {R | W | BITS_8, GUARDED_AT, 0x01, 0}, 0},
    {"half of it", {R | W | BITS_16, GUARDED_AT, 0x01, 0}, 0},
    {"by a slot", {R | W | S | BITS_32, GUARDED_AT, 0x30, 0}, 0},
    {"a slot behind the data", {R | S | BITS_32, PLAIN_AT, 1, 64}, 0},
    {"over their end", {R | S | BITS_32, PLAIN_AT, 1, 62}, 0},
    {"not aligned", {R | W | S | BITS_32, PLAIN_AT, 1, 2}, 0},
    {"nor there", {R | W | S | BITS_32, PLAIN_AT, 1, 1}, 0},
    {"far away", {W | S | BITS_32, PLAIN_AT, 1, 0x80000000}, 0},
    {"in front", {W | S | BITS_32, PLAIN_AT, 1, 0xfffffffc}, 0},
    {"a slot, and no access", {S | BITS_32, PLAIN_AT, 1, 0}, 0},
    {"a load that waits", {R | S | BITS_32 | READS(1), PLAIN_AT, 1, 0}, 0},
    {"a store that waits", {R | W | S | BITS_32 | READS(65535), PLAIN_AT, 1, 0}, 0},
    {"a load", {R | S | BITS_32, PLAIN_AT, 1, 0}, 1},
    {"a store", {W | S | BITS_32, PLAIN_AT, 1, 0}, 1},
    {"a wait", {R | BITS_32 | READS(1), PLAIN_AT + 4, 1, 0}, 1},
    {"the longest wait", {R | BITS_32 | READS(65535), PLAIN_AT + 4, 1, 0}, 1},
    {"a shift", {W | BITS_32 | SHIFT(1), PLAIN_AT, 1, 0}, 1},
};

/* What is not allowed is refused in each list, before anything is done; START tells the entry. */
static void test_refused(void) {
    for (uint32_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        for (uint32_t list = 0; list < 4; list++) {
            const struct entry e[] = {{W | BITS_32, PLAIN_AT, UINT32_MAX, 1}, refused[i].e};
            const uint32_t count[] = {1 + (list == 0), list == 1, list == 2, list == 3};
            with(count, e);
            const struct answer *a = start_at(PINS_AT);
            const int ok = refused[i].in_safe_only && list != 3;
            if (a->status != (ok ? CF_OK : CF_ERR_OUT_OF_RANGE)) {
                bench_fail(__FILE__, __LINE__, refused[i].what, a->status, CF_ERR_OUT_OF_RANGE);
            }
            if (!ok) {
                CHECK_EQUAL(a->field[2].value, 2);
                CHECK_EQUAL(bench.accesses, 0);
                CHECK_EQUAL(bench.ticking, 0);
                CHECK_EQUAL(state(), CF_STATE_READY);
            }
        }
    }
}

/* Places and counts that are not inside of the code block. */
static void test_places(void) {
    static const struct {
        uint32_t place, count[4], detail;
    } rows[] = {
        {1, {0}, 1}, {2, {0}, 1}, {PINS_AT + 3, {0}, 1}, {PINS_AT + 20, {0}, 1}, {PINS_AT + 32, {0}, 1}, {PINS_AT + 36, {0}, 1},
        {0x80000000, {0}, 1}, {0xfffffffc, {0}, 1}, {0xfffffff0, {0}, 1},
        {PINS_AT, {2}, 2}, {PINS_AT, {1, 1}, 2}, {PINS_AT, {1, 0, 0, 1}, 2}, {PINS_AT, {0xffffffff}, 2},
        {PINS_AT, {1, 0xffffffff}, 2}, {PINS_AT, {1, 0, 0x10000000}, 2},
    };
    static const struct entry e[] = {{R | W | BITS_32, PLAIN_AT, 1, 1}};

    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct image m;
        make(&m, (const uint32_t[]){1, 0, 0, 0}, e);
        memcpy(m.code + PINS_AT, rows[i].count, sizeof rows[i].count);
        bench_start(PACKET);
        hello(1);
        CHECK_EQUAL(load(&m)->status, CF_OK);
        const struct answer *a = start_at(rows[i].place);
        CHECK_EQUAL(a->status, CF_ERR_OUT_OF_RANGE);
        CHECK_EQUAL(a->field[2].value, rows[i].detail);
        CHECK_EQUAL(bench.accesses, 0);
    }
    struct image m; /* counts that are 0, of which one is missing */
    make(&m, (const uint32_t[]){1, 0, 0, 0}, e);
    m.code_length += 32;
    bench_start(PACKET);
    memset(bench.platform.code_write, 0, CODE_SIZE);
    hello(1);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    CHECK_EQUAL(start_at(m.code_length - 12)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(start_at(m.code_length - 16)->status, CF_OK); /* they are all there, and name nothing */
    stop();

    with((const uint32_t[]){1, 0, 0, 0}, e);
    const uint32_t every_tick[] = {0, 1};
    CHECK_EQUAL(ask("uuuuauuuuua", U(CF_MSG_START), U(1000), U(0), U(0), every_tick, 2u, U(0), U(0), U(0), U(0), U(0), every_tick, 2u)->status, CF_ERR_BAD_MESSAGE);
    CHECK_EQUAL(start_at(PINS_AT)->status, CF_OK);
}

#if CF_LOOP_FEATURES != 0
static int32_t swap_to(uint32_t trial, uint32_t place) {
    static const uint32_t every_tick[] = {0, 1};

    return ask("uuuuauuuuuu", U(CF_MSG_SWAP), U(0), U(0), U(0), every_tick, 2u, U(trial), U(0), U(0), U(0), U(0), U(place))->status;
}

/* A swap goes on with the lists of the new program, but for `start`; in its trial a wait in vain brings the old one back. */
static void test_swapped(void) {
    struct entry e[] = {
        {W | BITS_32, INPUT, UINT32_MAX, 5},
        {R | BITS_32 | READS(3), COUNTER_AT, UINT32_MAX, 2},
        {W | S | BITS_32, OUTPUT + 4, UINT32_MAX, 12},
        {W | BITS_32, OUTPUT + 4, UINT32_MAX, SAFE_VALUE},
    };
    struct image m;

    with(one_of_each, in_and_out);
    bench.task = controlling;
    CHECK_EQUAL(start_at(PINS_AT)->status, CF_OK);
    bench_tick(0);
    make(&m, one_of_each, e);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    CHECK_EQUAL(swap_to(10, PINS_AT + 4), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(swap_to(10, PINS_AT), CF_OK);
    bench_tick(0);
    CHECK_EQUAL(reg(INPUT), 100);
    CHECK_EQUAL(reg(OUTPUT), 101);
    CHECK_EQUAL(reg(OUTPUT + 4), 1);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_TRIAL);
    bench_tick(0); /* the counter is beyond what it waits for */
    const struct told *t = live();
    CHECK_EQUAL(t->count[CF_LOOP_SWAP_STATE], CF_SWAP_BACK);
    fault_is(&t->fault, 2, 2, COUNTER_AT, 5);
    CHECK_EQUAL(reg(OUTPUT + 4), 1);
    bench_tick(0);
    CHECK_EQUAL(reg(OUTPUT), 101);
    CHECK_EQUAL(stop()->count[CF_LOOP_END], CF_LOOP_END_STOPPED);
    CHECK_EQUAL(reg(OUTPUT), SAFE_VALUE);
    CHECK_EQUAL(reg(OUTPUT + 4), 1);

    CHECK_EQUAL(start_at(PINS_AT)->status, CF_OK); /* and one that is kept */
    e[1] = in_and_out[1];
    make(&m, one_of_each, e);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    CHECK_EQUAL(swap_to(0, PINS_AT), CF_OK);
    bench_tick(0);
    CHECK_EQUAL(reg(OUTPUT + 4), 101);
    CHECK_EQUAL(live()->count[CF_LOOP_SWAP_STATE], CF_SWAP_KEPT);
    CHECK_EQUAL(reg(OUTPUT), SAFE_VALUE); /* of the loop before */

    CHECK_EQUAL(load(&m)->status, CF_OK); /* and one without pins, where there has been one with them */
    CHECK_EQUAL(swap_to(0, 0), CF_OK);
    bench.accesses = 0;
    bench_tick(0);
    CHECK_EQUAL(stop()->count[CF_LOOP_SWAP_STATE], CF_SWAP_KEPT);
    CHECK_EQUAL(bench.accesses, 0);
    CHECK_EQUAL(reg(OUTPUT + 4), 101);
}
#endif

const struct test tests_of_pins[] = {
    TEST(what_entries_do), TEST(in_and_out), TEST(without_pins), TEST(waits), TEST(wait_in_a_tick), TEST(refused), TEST(places),
#if CF_LOOP_FEATURES != 0
    TEST(swapped),
#endif
    {0},
};
#else
/* A runner without registers refuses lists, and does not say that it takes them. */
static void test_no_pins(void) {
    static const struct entry e = {W | BITS_32, PLAIN_AT, UINT32_MAX, 1};
    struct image m;

    make(&m, (const uint32_t[]){1, 0, 0, 0}, &e);
    bench_start(PACKET);
    CHECK_EQUAL(now_of(hello(1), NOW_LOOP_FEATURES) & CF_LOOP_PINS, 0);
    CHECK_EQUAL(load(&m)->status, CF_OK);
    CHECK_EQUAL(start_at(PINS_AT)->status, CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(start_at(0)->status, CF_OK);
    bench_tick(0);
    stop();
    CHECK_EQUAL(bench.accesses, 0);
    (void)reg;
}

const struct test tests_of_pins[] = {TEST(no_pins), {0}};
#endif
