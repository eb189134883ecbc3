/* The dot product of 100 elements, in C one after the other. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100], y[100];
    float sum;
};


void program(struct block *d) {
    float sum = 0;
    for (int i = 0; i < 100; i++)
        sum += d->x[i] * d->y[i];
    d->sum = sum;
}
