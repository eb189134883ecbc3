/* 64 products of complex numbers. */
#include "../program.h"

struct block {
    uint32_t flags;
    float a[64], c[64], b[64], e[64];
    float re[64], im[64];
};

void program(struct block *d) {
    for (int i = 0; i < 64; i++) {
        d->re[i] = d->a[i] * d->c[i] - d->b[i] * d->e[i];
        d->im[i] = d->a[i] * d->e[i] + d->b[i] * d->c[i];
    }
}
