/* A value between 32 points. */
#include "../program.h"

struct block {
    uint32_t flags;
    float xp[32], fp[32], v;
    float y;
};

void program(struct block *d) {
    const float v = d->v;
    if (!(v > d->xp[0])) {
        d->y = d->fp[0];
        return;
    }
    if (v >= d->xp[31]) {
        d->y = d->fp[31];
        return;
    }
    int low = 0, high = 31;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (d->xp[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    d->y = d->fp[low] + (v - d->xp[low]) * ((d->fp[low + 1] - d->fp[low]) / (d->xp[low + 1] - d->xp[low]));
}
