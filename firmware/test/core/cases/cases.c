#include "cases.h"

#include <stdio.h>

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

int main(void) {
    const struct test *const files[] = {tests_of_parts, tests_of_numbers, tests_of_session, tests_of_loading, tests_of_running, tests_of_edges};

    bench_start(PACKET);
    for (uint32_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        for (const struct test *t = files[i]; t->name != NULL; t++) {
            fprintf(stderr, "%s\n", t->name);
            t->run();
        }
    }
    return 0;
}
