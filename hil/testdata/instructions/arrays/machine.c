/* A machine that idles, runs and stops, which takes five ticks, by what it is told. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[100];
    int32_t y[100];
};

enum { IDLE, RUN, STOP };

void program(struct block *d) {
    int32_t state = IDLE, ticks = 0;
    for (int i = 0; i < 100; i++) {
        const int32_t x = d->x[i];
        int32_t following;
        ticks++;
        if (state == IDLE)
            following = x > 2 ? RUN : IDLE;
        else if (state == RUN)
            following = x == 0 ? STOP : RUN;
        else
            following = ticks > 4 ? IDLE : STOP;
        if (following != state) ticks = 0;
        state = following;
        d->y[i] = state;
    }
}
