/* The place of the greatest of 100 elements. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    int32_t at;
};

void program(struct block *d) {
    float most = d->x[0];
    int32_t at = 0;
    for (int32_t i = 1; i < 100; i++)
        if (d->x[i] > most) {
            most = d->x[i];
            at = i;
        }
    d->at = at;
}
