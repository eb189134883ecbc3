#include "cases.h"

#include <stdio.h>
#include <string.h>

#include "../wire.h"

void expect_hex(const uint8_t *got, const char *want) {
    for (uint32_t i = 0; want[2 * i] != 0; i++) {
        unsigned v;
        CHECK_EQUAL(sscanf(want + 2 * i, "%2x", &v), 1);
        CHECK_EQUAL(got[i], v);
    }
}

const struct answer *load(const struct image *m) {
    uint8_t bytes[PACKET];
    const struct answer *a;
    uint16_t session = bench.core.link.session;

    a = ask_as(session, next_seq++, bytes, image_begin(m, bytes, sizeof bytes));
    if (a->status != CF_OK) {
        return a;
    }
    const struct {
        const uint8_t *bytes;
        uint32_t length;
    } region[] = {{m->code, m->code_length}, {m->data, m->data_length}, {m->patches, m->patch_length}};
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t at = 0; at < region[i].length; at += 100) {
            uint32_t n = region[i].length - at < 100 ? region[i].length - at : 100;
            ask("uuub", U(CF_MSG_CHUNK), U(i), U(at), region[i].bytes + at, n);
        }
    }
    while (answered()->present) {
    }
    return ask("u", U(CF_MSG_SEAL));
}

void start_with(enum program program) {
    struct image m;

    image_make(&m, program);
    bench_start(PACKET);
    hello(1);
    CHECK_EQUAL(load(&m)->status, CF_OK);
}

const struct answer *run(uint32_t entry, uint32_t count, uint32_t period, uint32_t limit) {
    return ask("uuuuu", U(CF_MSG_RUN), U(entry), U(count), U(period), U(limit));
}

uint32_t state(void) {
    return (uint32_t)ask("u", U(CF_MSG_STATUS))->field[CF_KEY_STATUS_RSP_STATE].value;
}

const struct answer *start(const struct plan *p) {
    static const uint32_t one[] = {0, 1};
    const uint32_t *tasks = p->task_words != 0 ? p->tasks : one;

    return ask("uuuuauuuu", U(CF_MSG_START), p->period, U(p->rest), p->limit, tasks, p->task_words != 0 ? p->task_words : 2u, U(p->misses),
               p->silence, U(p->safe), U(p->histograms));
}

uint64_t moment(const struct cf_field *f) {
    CHECK(!CF_SMALL || f->high == 0);
    return bench_near((cf_moment)((uint64_t)f->high << 32 | f->value));
}

void start_loop(uint32_t (*task)(uint32_t offset, uint8_t *data)) {
    start_with(PROGRAM_RETURN);
    bench.task = task;
    CHECK_EQUAL(start(&(struct plan){.period = 1000})->status, CF_OK);
}

static const struct told *told(uint32_t message) {
    static struct told t;
    const struct answer *a = ask("u", U(message));
    struct cf_reader r = {a->field[2].at, a->packet + a->length};

    CHECK_EQUAL(a->status, CF_OK);
    CHECK_EQUAL(a->field[2].value, CF_LOOP_COUNTS);
    for (uint32_t i = 0; i < CF_LOOP_COUNTS; i++) {
        struct cf_field f;
        CHECK_EQUAL(cf_cbor_head(&r, &f), 0);
        CHECK_EQUAL(f.type, CF_CBOR_UINT);
        t.count[i] = f.value;
    }
    t.start = moment(&a->field[3]);
    CHECK_EQUAL(a->field[4].value, sizeof t.figure);
    memcpy(t.figure, a->field[4].at, sizeof t.figure);
    t.sticky = a->field[5].value;
    t.has_fault = a->field[6].type == CF_CBOR_MAP;
    t.fault = a->field[6];
    return &t;
}

const struct told *live(void) {
    return told(CF_MSG_LIVE);
}

const struct told *stop(void) {
    return told(CF_MSG_STOP);
}

void put_live(uint32_t place, const uint32_t *words, uint32_t count) {
    CHECK_EQUAL(ask("uubu", U(CF_MSG_WRITE), U(place), words, 4u * count, U(CF_REGION_LIVE))->status, CF_OK);
}

uint32_t get_data(uint32_t offset, uint32_t *tick) {
    const struct answer *a = ask("uuu", U(CF_MSG_READ), U(offset), U(4));

    CHECK_EQUAL(a->status, CF_OK);
    if (tick != NULL) {
        CHECK_EQUAL(a->field[3].type, CF_CBOR_UINT);
        *tick = a->field[3].value;
    }
    return load32(a->field[2].at);
}

uint32_t get_live(uint32_t place) {
    const struct answer *a = ask("uuuu", U(CF_MSG_READ), U(place), U(4), U(CF_REGION_LIVE));

    CHECK_EQUAL(a->status, CF_OK);
    return load32(a->field[2].at);
}

const struct answer *samples(uint64_t offset, uint64_t length) {
    return ask("uuuu", U(CF_MSG_READ), offset, length, U(CF_REGION_SAMPLES));
}

/* usage: cases [BEGIN], the clock's first moment */
int main(int argc, char **argv) {
    const struct test *const files[] = {tests_of_parts, tests_of_numbers, tests_of_session, tests_of_loading, tests_of_running, tests_of_edges,
                                         tests_of_loops, tests_of_moments, tests_of_tuning, tests_of_captures, tests_of_swaps, tests_of_pins};

    bench.begin = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    bench_start(PACKET);
    for (uint32_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        for (const struct test *t = files[i]; t->name != NULL; t++) {
            fprintf(stderr, "%s\n", t->name);
            t->run();
        }
    }
    return 0;
}
