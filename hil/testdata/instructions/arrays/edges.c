/* Rising edges of a signal, counted with hysteresis. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    int32_t y[100];
};

void program(struct block *d) {
    int32_t high = 0, count = 0;
    for (int i = 0; i < 100; i++) {
        const float x = d->x[i];
        int32_t now = high;
        if (x > 0.2f)
            now = 1;
        else if (x < -0.2f)
            now = 0;
        if (now && !high) count++;
        high = now;
        d->y[i] = count;
    }
}
