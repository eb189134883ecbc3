/* The place of the largest of 100 ints. */
#include "../program.h"

struct block {
    uint32_t flags;
    int32_t x[100];
    int32_t y;
};

void program(struct block *d) {
    int32_t most = d->x[0], place = 0;
    for (int i = 1; i < 100; i++)
        if (d->x[i] > most) {
            most = d->x[i];
            place = i;
        }
    d->y = place;
}
