/* A machine of 8 modes with a gain, an offset and a limit each, for 32 ticks. */
#include "../program.h"

struct block {
    uint32_t flags;
    float gain[8], offset[8], limit[8];
    int32_t after[8];
    float x[32];
    int32_t mode;
    float u[32];
};

void program(struct block *d) {
    int32_t mode = 0;
    for (int i = 0; i < 32; i++) {
        const float u = d->gain[mode] * d->x[i] + d->offset[mode];
        if (u > d->limit[mode])
            mode = d->after[mode];
        d->u[i] = u;
    }
    d->mode = mode;
}
