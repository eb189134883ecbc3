/* The place of the nearest of 100 elements. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[100], to;
    int32_t at;
};

void program(struct block *d) {
    float least = __builtin_fabsf(d->x[0] - d->to);
    int32_t at = 0;
    for (int32_t i = 1; i < 100; i++) {
        float distance = __builtin_fabsf(d->x[i] - d->to);
        if (distance < least) {
            least = distance;
            at = i;
        }
    }
    d->at = at;
}
