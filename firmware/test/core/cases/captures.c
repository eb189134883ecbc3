/* CAPTURE: records around a trigger. */
#include <string.h>

#include "../wire.h"
#include "cases.h"

#if CF_LOOP_FEATURES == 0
const struct test tests_of_captures[] = {{0}};
#else
#define LIST 8u
#define RING 256u
#define SLOTS 6u
#define VARIABLE 24u

static const uint32_t *inputs; /* of the variable, by tick */

static uint32_t feeding(uint32_t offset, uint8_t *data) {
    const uint32_t n = bench.platform.loop->tick;

    (void)offset;
    cf_store32(data + 4, n);
    cf_store32(data + VARIABLE, inputs[n]);
    return inputs[n] == 0xdead ? CF_FAULT_MEMORY : 0;
}

/* As SPEC.md has a threshold. */
static uint32_t ordered(uint32_t trigger, uint32_t type, uint32_t bits) {
    if (type == CF_TRIGGER_TYPE_F32) {
        if ((bits & 0x7fffffffu) > 0x7f800000u) {
            return INT32_MAX;
        }
        bits = bits > INT32_MAX ? 0x80000000u - bits : bits;
    }
    return trigger == CF_TRIGGER_BELOW || trigger == CF_TRIGGER_FALLING ? ~bits : bits;
}

static int32_t capture(uint32_t trigger, uint32_t type, uint32_t threshold, uint32_t after) {
    PUT(LIST, 2, 4, 4, VARIABLE, 4);
    return ask("uuuuuuuuu", U(CF_MSG_CAPTURE), U(LIST), U(RING), U(SLOTS * 16), U(VARIABLE), U(trigger), U(ordered(trigger, type, threshold)), U(after), U(type))->status;
}

/* Lets n ticks be, and checks that the capture ends with the records that belong to it. */
static void check_capture(uint32_t trigger, uint32_t type, uint32_t threshold, const uint32_t *in, uint32_t n, int32_t at) {
    const uint32_t after = 2;

    start_loop(feeding);
    inputs = in;
    CHECK_EQUAL(capture(trigger, type, threshold, after), CF_OK);
    CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_STATE], CF_CAPTURE_ARMED);
    for (uint32_t i = 0; i < n; i++) {
        bench_tick(0);
        const uint32_t state_due = at < 0 || (int32_t)i < at ? CF_CAPTURE_ARMED : i < (uint32_t)at + after ? CF_CAPTURE_TRIGGERED : CF_CAPTURE_DONE;
        CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_STATE], state_due);
    }
    if (at < 0) {
        return;
    }
    CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_TICK], at);
    const uint32_t records = (uint32_t)at + after + 1; /* that were written, the last SLOTS are there */
    CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_NEXT], records % SLOTS);
    for (uint32_t i = records < SLOTS ? 0 : records - SLOTS; i < records; i++) {
        const uint32_t place = RING + 16 * (i % SLOTS);
        CHECK_EQUAL(get_live(place), i);
        CHECK_EQUAL(get_live(place + 4), (uint32_t)live()->start + 1000 * i);
        CHECK_EQUAL(get_live(place + 8), i);
        CHECK_EQUAL(get_live(place + 12), in[i]);
    }
}

#define F(x) ((union { float f; uint32_t u; }){x}).u
#define NAN_BITS 0x7fc00000u
#define CHECK_CAPTURE(trigger, type, threshold, at, ...)                                                              \
    check_capture(CF_TRIGGER_##trigger, CF_TRIGGER_TYPE_##type, threshold, (const uint32_t[]){__VA_ARGS__, 0, 0, 0, 0}, \
                  sizeof(const uint32_t[]){__VA_ARGS__} / 4u, at)

static void test_triggers(void) {
    const uint32_t minus = (uint32_t)-5;

    CHECK_CAPTURE(NOW, I32, 0, 0, 1, 2, 3, 4);
    CHECK_CAPTURE(ABOVE, I32, 5, 7, minus, 0, 5, 4, 5, 0x80000000, 5, 6, 7, 8, 9);
    CHECK_CAPTURE(ABOVE, I32, minus, 1, minus, 0, 0, 0);
    CHECK_CAPTURE(BELOW, I32, 0, 2, 5, 0, minus, 5, 5, 5);
    CHECK_CAPTURE(RISING, I32, 5, 4, 9, 9, 6, 5, 6, 9, 9);    /* not where it is above from the first on */
    CHECK_CAPTURE(FALLING, I32, 5, 4, 1, 1, 1, 5, 4, 9, 9);
    CHECK_CAPTURE(RISING, I32, 5, -1, 6, 6, 6, 6);
    CHECK_CAPTURE(ABOVE, F32, F(1.5f), 3, F(-2.0f), F(1.5f), NAN_BITS, F(1.75f), 0, 0, 0);
    CHECK_CAPTURE(BELOW, F32, F(-1.5f), 3, F(2.0f), F(-1.5f), 0xffc00000u, F(-1.75f), 0, 0, 0);
    CHECK_CAPTURE(BELOW, F32, F(0.0f), -1, F(-0.0f), F(0.0f), NAN_BITS, F(1.0f)); /* zeros are equal */
    CHECK_CAPTURE(ABOVE, F32, F(-0.0f), 2, F(0.0f), F(-0.0f), F(1e-45f), 0, 0, 0);
    CHECK_CAPTURE(ABOVE, F32, NAN_BITS, -1, F(1.0f), F(-1.0f), NAN_BITS, 0x7f800000u);
    CHECK_CAPTURE(ABOVE, F32, F(3e38f), 1, F(1.0f), 0x7f800000u, 0, 0, 0);          /* infinity */
    CHECK_CAPTURE(BELOW, F32, F(-3e38f), 1, F(1.0f), 0xff800000u, 0, 0, 0);
    CHECK_CAPTURE(RISING, F32, F(1.0f), 2, F(2.0f), NAN_BITS, F(2.0f), 0, 0, 0);    /* a NaN is not above */
    CHECK_CAPTURE(FALLING, F32, F(1.0f), 2, F(0.0f), F(1.0f), F(0.5f), 0, 0, 0);
    CHECK_CAPTURE(END, I32, 0, -1, 1, 2, 3);
}

static void test_end_of_the_loop(void) {
    static const uint32_t in[] = {1, 2, 3, 4, 5, 6, 7, 0xdead};

    start_loop(feeding);
    inputs = in;
    CHECK_EQUAL(capture(CF_TRIGGER_END, CF_TRIGGER_TYPE_I32, 0, 2), CF_OK);
    while (bench.next_tick != UINT64_MAX) {
        bench_tick(0);
    }
    CHECK_EQUAL(live()->count[CF_LOOP_END], CF_LOOP_END_FAULT);
    CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_STATE], CF_CAPTURE_DONE);
    CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_TICK], 7);
    CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_NEXT], 8 % SLOTS);
    CHECK_EQUAL(get_live(RING + 16 * (7 % SLOTS) + 12), 0xdead); /* what led to it */
    CHECK_EQUAL(get_live(RING + 16 * (2 % SLOTS) + 12), 3);
}

static void test_captures(void) {
    static const uint32_t in[100] = {0};

    start_with(PROGRAM_RETURN);
    CHECK_EQUAL(capture(CF_TRIGGER_NOW, 0, 0, 0), CF_ERR_BAD_STATE);
    start_loop(feeding);
    inputs = in;
    CHECK_EQUAL(capture(CF_TRIGGER_FALLING + 1, 0, 0, 0), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(capture(CF_TRIGGER_NOW, 2, 0, 0), CF_ERR_OUT_OF_RANGE);
    CHECK_EQUAL(capture(CF_TRIGGER_NOW, 0, 0, SLOTS), CF_ERR_BAD_LENGTH);
    static const struct {
        uint32_t list, ring, length, offset;
        int32_t status;
    } rows[] = {
        {LIVE_SIZE, RING, 96, 0, CF_ERR_OUT_OF_RANGE},   {LIST, LIVE_SIZE - 92, 96, 0, CF_ERR_OUT_OF_RANGE},
        {LIST, RING, 0xfffffffc, 0, CF_ERR_OUT_OF_RANGE}, {LIST, RING, 12, 0, CF_ERR_BAD_LENGTH},
        {LIST, RING, 96, 64, CF_ERR_OUT_OF_RANGE},        {LIST, RING, 96, 2, CF_ERR_OUT_OF_RANGE},
        {LIST, RING, 96, 0xfffffffc, CF_ERR_OUT_OF_RANGE}, {LIST, RING + 1, 96, 0, CF_ERR_OUT_OF_RANGE},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_EQUAL(ask("uuuuuuuuu", U(CF_MSG_CAPTURE), U(rows[i].list), U(rows[i].ring), U(rows[i].length), U(rows[i].offset), U(0), U(0), U(0), U(0))->status,
                    rows[i].status);
        CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_STATE], CF_CAPTURE_OFF);
    }
    CHECK_EQUAL(capture(CF_TRIGGER_NOW, 0, 0, 0), CF_OK);
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_STATE], CF_CAPTURE_DONE);
    CHECK_EQUAL(capture(CF_TRIGGER_ABOVE, 0, 5, 0), CF_OK); /* another one */
    bench_tick(0);
    CHECK_EQUAL(ask("uuuuuuuuu", U(CF_MSG_CAPTURE), U(0), U(0), U(0), U(0), U(0), U(0), U(0), U(0))->status, CF_OK); /* none */
    CHECK_EQUAL(live()->count[CF_LOOP_CAPTURE_STATE], CF_CAPTURE_OFF);
    CHECK_EQUAL(capture(CF_TRIGGER_ABOVE, 0, 5, 0), CF_OK);
    PUT(LIST, 2, 4, 4, 64, 4); /* a list that is not what it was */
    bench_tick(0);
    CHECK_EQUAL(live()->count[CF_LOOP_END], CF_LOOP_END_PLAN);
}

const struct test tests_of_captures[] = {TEST(triggers), TEST(end_of_the_loop), TEST(captures), {0}};
#endif
