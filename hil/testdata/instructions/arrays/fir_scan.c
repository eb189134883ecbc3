/* A filter of 16 taps over 64 samples as a scan that carries the last inputs. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[64], h[16];
    float y[64];
};

void program(struct block *d) {
    float last[16] = {0};
    for (int i = 0; i < 64; i++) {
        for (int k = 15; k > 0; k--)
            last[k] = last[k - 1];
        last[0] = d->x[i];
        float sum = d->h[0] * last[0];
        for (int k = 1; k < 16; k++)
            sum += d->h[k] * last[k];
        d->y[i] = sum;
    }
}
