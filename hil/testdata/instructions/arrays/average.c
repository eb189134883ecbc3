/* The moving average of 8 ints over 100 samples as a scan. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[108];
    int32_t y[100];
};

void program(struct block *d) {
    int32_t sum = 0;
    for (int k = 0; k < 8; k++)
        sum += d->x[k];
    for (int i = 0; i < 100; i++) {
        sum += d->x[8 + i] - d->x[i];
        d->y[i] = sum >> 3;
    }
}
