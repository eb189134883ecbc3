/* The largest magnitude of 100 ints. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[100];
    int32_t y;
};

void program(struct block *d) {
    int32_t most = 0;
    for (int i = 0; i < 100; i++) {
        int32_t x = d->x[i] < 0 ? -d->x[i] : d->x[i];
        most = x > most ? x : most;
    }
    d->y = most;
}
