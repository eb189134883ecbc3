/* A comb filter by a ring buffer of 8. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    float y[100];
};

void program(struct block *d) {
    float ring[8];

    for (int k = 0; k < 8; k++) {
        ring[k] = 0;
        __asm__ volatile(""); /* not memset, which there is none of */
    }
    for (int i = 0; i < 100; i++) {
        const int k = i & 7;
        const float y = d->x[i] + 0.5f * ring[k];
        ring[k] = y;
        d->y[i] = y;
    }
}
