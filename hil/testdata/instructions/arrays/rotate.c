/* Points of a plane that are turned. */
#include "../program.h"

struct block {
    uint32_t flags;
    float p[32][2], c, s;
    float q[32][2];
};

void program(struct block *d) {
    for (int i = 0; i < 32; i++) {
        d->q[i][0] = d->p[i][0] * d->c - d->p[i][1] * d->s;
        d->q[i][1] = d->p[i][0] * d->s + d->p[i][1] * d->c;
    }
}
