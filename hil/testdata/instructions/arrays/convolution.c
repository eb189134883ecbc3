/* An image under a window of 3 x 3. */
#include "../program.h"

struct block {
    uint32_t flags;
    float x[12][12], w[3][3];
    float r[10][10];
};

void program(struct block *d) {
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 10; j++) {
            float sum = 0;
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    sum += d->w[a][b] * d->x[i + a][j + b];
                }
            }
            d->r[i][j] = sum;
        }
    }
}
