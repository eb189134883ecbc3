/*
 * The core on the bench, driven over standard input and output: each command is an op, a length (u32) and bytes. S starts
 * it, and tells the address of data memory (u64). F feeds it the bytes, lets a RUN come to its end, and gives back what the
 * core has sent, its length (u32) first.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"

static int take(void *to, size_t n) {
    return fread(to, 1, n, stdin) == n;
}

static void give(const void *from, size_t n) {
    CHECK(fwrite(from, 1, n, stdout) == n);
}

int main(void) {
    for (;;) {
        uint8_t op;
        uint32_t length;
        if (!take(&op, 1)) {
            return 0;
        }
        CHECK(take(&length, sizeof length));
        uint8_t *bytes = malloc(length + (length == 0)); /* exactly, for the sanitizer */
        CHECK(take(bytes, length));
        if (op == 'S') {
            bench_start(PACKET);
            const uint64_t address = (uintptr_t)bench.platform.data;
            give(&address, sizeof address);
        } else {
            cf_core_feed(&bench.core, bytes, length);
            while (bench.core.state == CF_STATE_RUNNING) {
                CHECK_EQUAL(cf_core_poll(&bench.core), 0);
            }
            CHECK_EQUAL(cf_core_poll(&bench.core), 0);
            give(&bench.tx_length, sizeof bench.tx_length);
            give(bench.tx, bench.tx_length);
            bench.tx_length = 0;
        }
        CHECK(fflush(stdout) == 0);
        free(bytes);
    }
}
