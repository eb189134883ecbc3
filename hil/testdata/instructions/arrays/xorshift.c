/* A hundred steps of a generator of random numbers by shifts. */
#include "../program.h"

struct block {
    uint32_t flags;
    uint32_t s;
    uint32_t y;
};

void program(struct block *d) {
    uint32_t s = d->s;
    for (int i = 0; i < 100; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    d->y = s;
}
