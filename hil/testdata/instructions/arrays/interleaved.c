/* Products of complex numbers whose parts lie in turn. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[128], y[128];
    float z[128];
};

void program(struct block *d) {
    for (int i = 0; i < 64; i++) {
        float a = d->x[2 * i], b = d->x[2 * i + 1], c = d->y[2 * i], e = d->y[2 * i + 1];
        d->z[2 * i] = a * c - b * e;
        d->z[2 * i + 1] = a * e + b * c;
    }
}
