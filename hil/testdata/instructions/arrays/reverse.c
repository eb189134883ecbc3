/* 100 floats from the last to the first, doubled. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    float y[100];
};

void program(struct block *d) {
    for (int i = 0; i < 100; i++)
        d->y[i] = d->x[99 - i] * 2.0f;
}
