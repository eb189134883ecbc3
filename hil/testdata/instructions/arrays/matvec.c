/* A matrix of 16 x 16 times a vector, in C one term after the other. */
#include "../program.h"

struct block {
    uint32_t flags;
    float a[16][16], x[16];
    float y[16];
};

void program(struct block *d) {
    for (int i = 0; i < 16; i++) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += d->a[i][k] * d->x[k];
        d->y[i] = sum;
    }
}
