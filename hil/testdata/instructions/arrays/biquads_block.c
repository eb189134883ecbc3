/* 64 samples through a second-order section as a scan over them. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[64], b0, b1, b2, a1, a2;
    float y[64];
};

void program(struct block *d) {
    float z1 = 0, z2 = 0;
    for (int i = 0; i < 64; i++) {
        const float u = d->x[i], y = d->b0 * u + z1;
        z1 = d->b1 * u - d->a1 * y + z2;
        z2 = d->b2 * u - d->a2 * y;
        d->y[i] = y;
    }
}
