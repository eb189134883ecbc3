/* How many of 100 elements are above a limit. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100], limit;
    int32_t count;
};

void program(struct block *d) {
    int32_t count = 0;
    for (int i = 0; i < 100; i++)
        if (d->x[i] > d->limit)
            count++;
    d->count = count;
}
