/* A Kalman filter of 4 states and one measurement. */
#include "../program.h"

struct block {
    uint32_t flags;
    float F[4][4], P[4][4], x[4], h[4], z;
    float x2[4], P2[4][4];
};

void program(struct block *d) {
    float x[4], FP[4][4], P[4][4], ph[4], s = 0.1f, hx = 0;

    for (int i = 0; i < 4; i++) {
        x[i] = 0;
        for (int k = 0; k < 4; k++) {
            x[i] += d->F[i][k] * d->x[k];
        }
        for (int j = 0; j < 4; j++) {
            FP[i][j] = 0;
            for (int k = 0; k < 4; k++) {
                FP[i][j] += d->F[i][k] * d->P[k][j];
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            P[i][j] = 0;
            for (int k = 0; k < 4; k++) {
                P[i][j] += FP[i][k] * d->F[j][k];
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        ph[i] = 0;
        for (int k = 0; k < 4; k++) {
            ph[i] += P[i][k] * d->h[k];
        }
        s += d->h[i] * ph[i];
        hx += d->h[i] * x[i];
    }
    for (int i = 0; i < 4; i++) {
        const float k = ph[i] / s;
        d->x2[i] = x[i] + k * (d->z - hx);
        for (int j = 0; j < 4; j++) {
            d->P2[i][j] = P[i][j] - k * ph[j];
        }
    }
}
