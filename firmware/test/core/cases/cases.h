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
extern const struct test tests_of_parts[], tests_of_numbers[], tests_of_session[], tests_of_loading[], tests_of_running[], tests_of_edges[];

/* As body() in ask.h takes numbers. */
#define U(v) ((uint64_t)(v))

/* Compares bytes with hexadecimal digits. */
void expect_hex(const uint8_t *got, const char *want);

/* Sends BEGIN and everything that follows; returns the answer to SEAL, or to BEGIN if that was refused. */
const struct answer *load(const struct image *m);

/* A fresh runner, in a session, with this program. */
void start_with(enum program program);

const struct answer *run(uint32_t entry, uint32_t count, uint32_t period, uint32_t limit);

/* CF_STATE_*, by a STATUS. */
uint32_t state(void);

#endif
