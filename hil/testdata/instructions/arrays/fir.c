/* A filter of 32 taps over 64 samples as shifted products. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[95], h[32];
    float y[64];
};

void program(struct block *d) {
    for (int i = 0; i < 64; i++) {
        float sum = d->h[0] * d->x[31 + i];
        for (int k = 1; k < 32; k++)
            sum += d->h[k] * d->x[31 + i - k];
        d->y[i] = sum;
    }
}
