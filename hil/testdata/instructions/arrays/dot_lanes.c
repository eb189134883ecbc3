/* The dot product of 100 elements in eight lanes. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100], y[100];
    float sum;
};

/* The terms in eight lanes, and the lanes as a tree: the order of scripts. */
static inline float total(const float lane[8]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

void program(struct block *d) {
    float lane[8] = {0};
    for (int i = 0; i < 96; i += 8)
        for (int j = 0; j < 8; j++)
            lane[j] += d->x[i + j] * d->y[i + j];
    for (int j = 0; j < 4; j++)
        lane[j] += d->x[96 + j] * d->y[96 + j];
    d->sum = total(lane);
}
