/* A line through 64 points. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[64], y[64];
    float start, slope;
};

void program(struct block *d) {
    float sx = 0, sy = 0, sxy = 0, sxx = 0;

    for (int i = 0; i < 64; i++) {
        sx += d->x[i];
        sy += d->y[i];
        sxy += d->x[i] * d->y[i];
        sxx += d->x[i] * d->x[i];
    }
    d->slope = (64.0f * sxy - sx * sy) / (64.0f * sxx - sx * sx);
    d->start = (sy - d->slope * sx) / 64.0f;
}
