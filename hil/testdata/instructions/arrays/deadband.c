/* 100 elements, zero where they are small. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100], band;
    float y[100];
};

void program(struct block *d) {
    for (int i = 0; i < 100; i++)
        d->y[i] = __builtin_fabsf(d->x[i]) < d->band ? 0.0f : d->x[i];
}
