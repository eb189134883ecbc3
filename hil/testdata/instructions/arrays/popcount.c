/* The bits that are set in 32 words. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[32];
    int32_t y;
};

void program(struct block *d) {
    int32_t sum = 0;
    for (int i = 0; i < 32; i++) {
        uint32_t v = (uint32_t)d->x[i];
        v = v - ((v >> 1) & 0x55555555);
        v = (v & 0x33333333) + ((v >> 2) & 0x33333333);
        v = (v + (v >> 4)) & 0x0f0f0f0f;
        sum += (int32_t)(v * 0x01010101) >> 24;
    }
    d->y = sum;
}
