/* 100 samples followed at no more than a rate as a scan. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100], rate;
    float y[100];
};

void program(struct block *d) {
    float y = 0;
    for (int i = 0; i < 100; i++) {
        y += clamp(d->x[i] - y, -d->rate, d->rate);
        d->y[i] = y;
    }
}
