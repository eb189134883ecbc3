/* The average of the last 10 integers, by a ring buffer. */
#include "../program.h"

struct block {
    uint32_t flags;
    int x[100];
    int y[100];
};

void program(struct block *d) {
    int ring[10], total = 0, k = 0;

    for (int i = 0; i < 10; i++) {
        ring[i] = 0;
        __asm__ volatile(""); /* not memset, which there is none of */
    }
    for (int i = 0; i < 100; i++) {
        total += d->x[i] - ring[k];
        ring[k] = d->x[i];
        k = k == 9 ? 0 : k + 1;
        d->y[i] = total / 10 - (total % 10 < 0);
    }
}
