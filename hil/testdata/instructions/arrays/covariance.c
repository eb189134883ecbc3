/* The step of a covariance, A P A' + Q, of 6 x 6. */
#include "../program.h"

enum { N = 6 };

struct block {
    uint32_t flags;
    float a[N][N], p[N][N], q[N][N];
    float r[N][N];
};

void program(struct block *d) {
    float ap[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += d->a[i][k] * d->p[k][j];
            ap[i][j] = sum;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += ap[i][k] * d->a[j][k];
            d->r[i][j] = sum + d->q[i][j];
        }
}
