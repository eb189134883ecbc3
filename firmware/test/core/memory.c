/* The core's own memcpy, memset and memcmp, under other names, against those of libc. */
#define memcpy own_memcpy
#define memset own_memset
#define memcmp own_memcmp
#include "core/mem.c"
#undef memcpy
#undef memset
#undef memcmp

#include <string.h>

#include "bench.h"

#define LENGTH 48u

static int sign(int v) {
    return (v > 0) - (v < 0);
}

int main(void) {
    uint8_t source[LENGTH], got[LENGTH], want[LENGTH];

    for (uint32_t i = 0; i < LENGTH; i++) {
        source[i] = (uint8_t)(i * 37 + 1);
    }
    for (uint32_t to = 0; to < 9; to++) {
        for (uint32_t from = 0; from < 9; from++) {
            for (uint32_t n = 0; n <= LENGTH - 9; n++) {
                memset(got, 0x55, LENGTH);
                memset(want, 0x55, LENGTH);
                memcpy(want + to, source + from, n);
                CHECK(own_memcpy(got + to, source + from, n) == got + to);
                CHECK(memcmp(got, want, LENGTH) == 0);
                CHECK_EQUAL(own_memcmp(got + to, source + from, n), 0);
                if (n > 0) {
                    got[to + n - 1] ^= 0x80;
                    CHECK_EQUAL(own_memcmp(got + to, source + from, n), sign(memcmp(got + to, source + from, n)));
                }
                memset(want + to, 0xa0 + (int)n, n);
                CHECK(own_memset(got + to, 0x2a0 + (int)n, n) == got + to);
                CHECK(memcmp(got, want, LENGTH) == 0);
            }
        }
    }
    return 0;
}
