/* A product of two matrices of 8 x 8, in C one term after the other. */
#include "../program.h"

struct block {
    uint32_t flags;
    float a[8][8], b[8][8];
    float c[8][8];
};

void program(struct block *d) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            float sum = 0;
            for (int k = 0; k < 8; k++)
                sum += d->a[i][k] * d->b[k][j];
            d->c[i][j] = sum;
        }
}
