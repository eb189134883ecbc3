/* The greatest and the least of 100 elements. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    float most, least;
};

void program(struct block *d) {
    float most = d->x[0], least = d->x[0];
    for (int i = 1; i < 100; i++) {
        most = d->x[i] > most ? d->x[i] : most;
        least = d->x[i] < least ? d->x[i] : least;
    }
    d->most = most;
    d->least = least;
}
