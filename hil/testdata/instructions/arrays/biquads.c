/* A sample through 8 second-order sections, written out. */
#include "../program.h"

enum { N = 8 };

struct block {
    uint32_t flags;
    float b0[N], b1[N], b2[N], a1[N], a2[N];
    float z1[N], z2[N], u;
    float y, next1[N], next2[N];
};

void program(struct block *d) {
    float u = d->u;
    for (int k = 0; k < N; k++) {
        const float y = d->b0[k] * u + d->z1[k];
        d->next1[k] = d->b1[k] * u - d->a1[k] * y + d->z2[k];
        d->next2[k] = d->b2[k] * u - d->a2[k] * y;
        u = y;
    }
    d->y = u;
}
