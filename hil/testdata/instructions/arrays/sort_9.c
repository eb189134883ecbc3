/* 9 elements sorted. */
#include "../program.h"

enum { N = 9 };

struct block {
    uint32_t flags;
    float x[N];
    float y[N];
};

/* Insertion, which is the fastest for so few. */
void program(struct block *d) {
    float y[N];
    for (int i = 0; i < N; i++) {
        const float x = d->x[i];
        int k = i;
        for (; k > 0 && y[k - 1] > x; k--)
            y[k] = y[k - 1];
        y[k] = x;
    }
    for (int i = 0; i < N; i++)
        d->y[i] = y[i];
}
