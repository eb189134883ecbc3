/* The CRC-32 of 16 words, bit by bit. */
#include "../program.h"

struct block {
    uint32_t flags;
    uint32_t data[16];
    uint32_t crc;
};

void program(struct block *d) {
    uint32_t crc = 0xFFFFFFFF;
    for (int i = 0; i < 16; i++) {
        crc ^= d->data[i];
        for (int bit = 0; bit < 32; bit++)
            crc = crc >> 1 ^ (0xEDB88320 & -(crc & 1));
    }
    d->crc = ~crc;
}
