/* A switch with hysteresis over 100 samples as a scan. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    int32_t y[100];
};

void program(struct block *d) {
    int32_t on = 0;
    for (int i = 0; i < 100; i++) {
        on = d->x[i] > 0.5f ? 1 : d->x[i] < -0.5f ? 0 : on;
        d->y[i] = on;
    }
}
