/* The sum of 16 neighbouring ints at 100 places. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[115];
    int32_t y[100];
};

void program(struct block *d) {
    for (int i = 0; i < 100; i++) {
        int32_t sum = 0;
        for (int k = 0; k < 16; k++)
            sum += d->x[i + k];
        d->y[i] = sum;
    }
}
