/* A thermostat that waits for five samples between switching on and off. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    int32_t y[100];
};

void program(struct block *d) {
    int32_t on = 0, wait = 0;
    for (int i = 0; i < 100; i++) {
        const float x = d->x[i];
        const int32_t want = x < 19.0f ? 1 : x > 21.0f ? 0 : on;
        if (want != on && wait == 0) {
            on = want;
            wait = 5;
        } else if (wait > 0) {
            wait--;
        }
        d->y[i] = on;
    }
}
