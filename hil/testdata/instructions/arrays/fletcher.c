/* Fletcher's checksum of 64 bytes. */
#include "../program.h"

struct block {
    uint32_t flags;
    int x[64];
    int checksum;
};

void program(struct block *d) {
    int a = 0, b = 0;

    for (int i = 0; i < 64; i++) {
        a = (a + d->x[i]) % 255;
        b = (a + b) % 255;
    }
    d->checksum = b << 8 | a;
}
