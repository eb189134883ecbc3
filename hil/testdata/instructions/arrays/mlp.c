/* A network of 8, 16, 16 and 4 neurons with rectifiers. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[8];
    float w1[16][8], b1[16];
    float w2[16][16], b2[16];
    float w3[4][16], b3[4];
    float y[4];
};

static inline void layer(int rows, int cols, const float *w, const float *b, const float *x, float *y, int rectify) {
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int k = 0; k < cols; k++)
            sum += w[cols * i + k] * x[k];
        sum += b[i];
        y[i] = rectify && sum < 0 ? 0 : sum;
    }
}

void program(struct block *d) {
    float h1[16], h2[16];
    layer(16, 8, d->w1[0], d->b1, d->x, h1, 1);
    layer(16, 16, d->w2[0], d->b2, h1, h2, 1);
    layer(4, 16, d->w3[0], d->b3, h2, d->y, 0);
}
