/* A step of a Kalman filter of four states that measures a number. */
#include "../program.h"

enum { N = 4 };

struct block {
    uint32_t flags;
    float f[N][N], p[N][N], x[N], h[N], z;
    float x2[N], p2[N][N];
};

void program(struct block *d) {
    float x1[N], fp[N][N], p1[N][N], ph[N];
    float s = 0.1f, hx = 0;
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int k = 0; k < N; k++)
            sum += d->f[i][k] * d->x[k];
        x1[i] = sum;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += d->f[i][k] * d->p[k][j];
            fp[i][j] = sum;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += fp[i][k] * d->f[j][k];
            p1[i][j] = sum;
        }
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int k = 0; k < N; k++)
            sum += p1[i][k] * d->h[k];
        ph[i] = sum;
        s += d->h[i] * sum;
        hx += d->h[i] * x1[i];
    }
    for (int i = 0; i < N; i++) {
        const float k = ph[i] / s;
        d->x2[i] = x1[i] + k * (d->z - hx);
        for (int j = 0; j < N; j++)
            d->p2[i][j] = p1[i][j] - k * ph[j];
    }
}
