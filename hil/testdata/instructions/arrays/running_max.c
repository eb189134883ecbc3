/* The greatest of the first 1 to 100 elements as a scan. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100];
    float y[100];
};

void program(struct block *d) {
    float most = d->x[0];
    for (int i = 0; i < 100; i++) {
        most = d->x[i] > most ? d->x[i] : most;
        d->y[i] = most;
    }
}
