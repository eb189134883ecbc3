/* The inverse of a matrix of 12 x 12. */
#include "../program.h"

enum { N = 12 };

struct block {
    uint32_t flags;
    float a[N][N];
    float r[N][N];
};

/* Gauss and Jordan with row exchanges. */
void program(struct block *d) {
    float w[N][2 * N];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            w[i][k] = d->a[i][k];
            w[i][N + k] = i == k;
        }
    for (int c = 0; c < N; c++) {
        int best = c;
        for (int i = c + 1; i < N; i++)
            if (__builtin_fabsf(w[i][c]) > __builtin_fabsf(w[best][c]))
                best = i;
        for (int k = 0; k < 2 * N; k++) {
            const float t = w[c][k];
            w[c][k] = w[best][k];
            w[best][k] = t;
        }
        const float scale = 1 / w[c][c];
        for (int k = 0; k < 2 * N; k++)
            w[c][k] *= scale;
        for (int i = 0; i < N; i++) {
            if (i == c)
                continue;
            const float f = w[i][c];
            for (int k = 0; k < 2 * N; k++)
                w[i][k] -= f * w[c][k];
        }
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            d->r[i][k] = w[i][N + k];
}
