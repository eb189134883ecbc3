/* The gear of a drive by its speed, with a table of speeds for going up and one for going down. */
#include "../program.h"

struct block {
    uint32_t flags;
    float speed[100];
    float up[4], down[4];
    int32_t y[100];
};

void program(struct block *d) {
    int32_t gear = 0;
    for (int i = 0; i < 100; i++) {
        const float v = d->speed[i];
        if (v > d->up[gear])
            gear++;
        else if (v < d->down[gear])
            gear--;
        if (gear < 0) gear = 0;
        if (gear > 3) gear = 3;
        d->y[i] = gear;
    }
}
