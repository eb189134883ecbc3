/* Bilinear interpolation in a table of 8 times 8 numbers at 16 points. */
#include "../program.h"

struct block {
    uint32_t flags;
    float table[8][8];
    float u[16], v[16];
    float y[16];
};

void program(struct block *d) {
    for (int n = 0; n < 16; n++) {
        float u = d->u[n], v = d->v[n];
        int i = (int)u, j = (int)v;
        float fu = u - (float)i, fv = v - (float)j;
        float p = d->table[i][j] + (d->table[i][j + 1] - d->table[i][j]) * fv;
        float q = d->table[i + 1][j] + (d->table[i + 1][j + 1] - d->table[i + 1][j]) * fv;
        d->y[n] = p + (q - p) * fu;
    }
}
