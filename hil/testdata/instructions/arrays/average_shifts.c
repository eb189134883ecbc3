/* The moving average of 8 ints over 100 samples as shifted sums. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[107];
    int32_t y[100];
};

void program(struct block *d) {
    for (int i = 0; i < 100; i++) {
        int32_t sum = 0;
        for (int k = 0; k < 8; k++)
            sum += d->x[i + k];
        d->y[i] = sum >> 3;
    }
}
