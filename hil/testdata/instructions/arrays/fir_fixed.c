/* A filter of 16 taps in fixed point. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[79];
    int32_t h[16];
    int32_t y[64];
};

void program(struct block *d) {
    for (int i = 0; i < 64; i++) {
        int32_t sum = 0;
        for (int k = 0; k < 16; k++)
            sum += d->h[k] * d->x[i + k];
        d->y[i] = sum >> 8;
    }
}
