/* The place of a value among 32 that are sorted. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[32], v;
    int32_t at;
};

void program(struct block *d) {
    int32_t low = 0, high = 32;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (d->x[middle] < d->v)
            low = middle + 1;
        else
            high = middle;
    }
    d->at = low;
}
