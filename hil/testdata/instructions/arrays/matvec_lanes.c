/* A matrix of 16 x 16 times a vector in eight lanes. */
#include "../program.h"

struct block {
    uint32_t flags;
    float a[16][16], x[16];
    float y[16];
};

/* The terms in eight lanes, and the lanes as a tree: the order of scripts. */
static inline float total(const float lane[8]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

void program(struct block *d) {
    for (int i = 0; i < 16; i++) {
        float lane[8];
        for (int j = 0; j < 8; j++)
            lane[j] = d->a[i][j] * d->x[j] + d->a[i][8 + j] * d->x[8 + j];
        d->y[i] = total(lane);
    }
}
