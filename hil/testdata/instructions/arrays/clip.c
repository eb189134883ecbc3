/* 100 elements limited to an interval. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    float y[100];
};

void program(struct block *d) {
    for (int i = 0; i < 100; i++)
        d->y[i] = d->x[i] > 0.5f ? 0.5f : d->x[i] < -0.25f ? -0.25f : d->x[i];
}
