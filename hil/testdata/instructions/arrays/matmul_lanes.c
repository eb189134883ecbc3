/* A product of two matrices of 8 x 8 in eight lanes. */
#include "../program.h"

struct block {
    uint32_t flags;
    float a[8][8], b[8][8];
    float c[8][8];
};

/* The terms in eight lanes, and the lanes as a tree: the order of scripts. */
static inline float total(const float lane[8]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

void program(struct block *d) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            float lane[8];
            for (int k = 0; k < 8; k++)
                lane[k] = d->a[i][k] * d->b[k][j];
            d->c[i][j] = total(lane);
        }
}
