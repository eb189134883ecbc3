/* One of two products for each of 100 elements. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100], y[100];
    float z[100];
};

void program(struct block *d) {
    for (int i = 0; i < 100; i++)
        d->z[i] = d->x[i] > d->y[i] ? d->x[i] * 2.0f : d->y[i] * 3.0f;
}
