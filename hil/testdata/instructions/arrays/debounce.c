/* A switch that follows its input once that has been another one for three samples. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[100];
    int32_t y[100];
};

void program(struct block *d) {
    int32_t count = 0, state = 0;
    for (int i = 0; i < 100; i++) {
        int32_t x = d->x[i];
        count = x == state ? 0 : count + 1;
        if (count >= 3) {
            state = x;
            count = 0;
        }
        d->y[i] = state;
    }
}
