/* What the runner must do, case by case: the tests of each file, and steps that they share. */
#ifndef CF_TEST_CASES_H
#define CF_TEST_CASES_H

#include "../ask.h"
#include "../image.h"

struct test {
    const char *name;
    void (*run)(void);
};

#define TEST(name) {#name, test_##name}

/* Each ends with one without a name. */
extern const struct test tests_of_parts[], tests_of_numbers[], tests_of_session[], tests_of_loading[], tests_of_running[], tests_of_edges[],
    tests_of_loops[], tests_of_moments[], tests_of_tuning[], tests_of_captures[], tests_of_swaps[], tests_of_pins[];

/* As body() in ask.h takes numbers. */
#define U(v) ((uint64_t)(v))

/* Compares bytes with hexadecimal digits. */
void expect_hex(const uint8_t *got, const char *want);

/* Sends BEGIN and everything that follows; returns the answer to SEAL, or to BEGIN if that was refused. */
const struct answer *load(const struct image *m);

/* A fresh runner, in a session, with this program. */
void start_with(enum program program);

const struct answer *run(uint32_t entry, uint32_t count, uint32_t period, uint32_t limit);

/* A loop of one task, entry 0 in every tick, or of what `tasks` says; all else as it is before a test changes it. */
struct plan {
    uint64_t period;
    uint32_t rest;
    uint64_t limit;
    uint32_t tasks[4];
    uint32_t task_words; /* of tasks; 0: one task */
    uint32_t misses;
    uint64_t silence;
    uint32_t safe;
    uint32_t histograms;
};
const struct answer *start(const struct plan *p);

/* When tick 0 is due, as an answer has it. */
uint64_t moment(const struct cf_field *f);

/* A program of 64 bytes of data whose loop runs that task every 1000 counts. */
void start_loop(uint32_t (*task)(uint32_t offset, uint8_t *data));

/* The answer to LIVE, or to STOP. */
struct told {
    uint32_t count[CF_LOOP_COUNTS];
    uint64_t start;
    struct cf_figure figure[CF_FIGURES];
    uint32_t sticky;
    int has_fault;
    struct cf_field fault; /* the map */
};
const struct told *live(void);
const struct told *stop(void);

/* Writes words to live memory, by WRITE. */
void put_live(uint32_t place, const uint32_t *words, uint32_t count);
#define PUT(place, ...) put_live(place, (const uint32_t[]){__VA_ARGS__}, sizeof(const uint32_t[]){__VA_ARGS__} / 4u)

/* Words of the data block, and of live memory, by READ; *tick is that of the data if it is not NULL. */
uint32_t get_data(uint32_t offset, uint32_t *tick);
uint32_t get_live(uint32_t place);

/* Bytes of the samples of the last RUN, by READ. */
const struct answer *samples(uint64_t offset, uint64_t length);

/* CF_STATE_*, by a STATUS. */
uint32_t state(void);

#endif
