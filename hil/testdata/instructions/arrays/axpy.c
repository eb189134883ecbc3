/* y = a x + y of 100 elements. */
#include "../program.h"

struct block {
    uint32_t flags;
    float a, x[100], y[100];
    float z[100];
};

void program(struct block *d) {
    for (int i = 0; i < 100; i++)
        d->z[i] = d->a * d->x[i] + d->y[i];
}
