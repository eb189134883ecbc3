/* A picture convolved with 3 x 3 weights. */
#include "../program.h"

enum { N = 12, W = 3, M = N - W + 1 };

struct block {
    uint32_t flags;
    float x[N][N], w[W][W];
    float y[M][M];
};

void program(struct block *d) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            float sum = 0;
            for (int a = 0; a < W; a++)
                for (int b = 0; b < W; b++)
                    sum += d->w[a][b] * d->x[i + a][j + b];
            d->y[i][j] = sum;
        }
}
