#include "crc32c.h"

#include "small.h"

#if CF_SMALL

#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t take_byte(uint32_t crc) {
    for (unsigned bit = 0; bit < 8; bit++) {
        crc = crc >> 1 ^ (POLYNOMIAL & (0u - (crc & 1u)));
    }
    return crc;
}

#else

/* Remainders of the 16 values of a nibble: 64 bytes of table, a quarter of the steps of a bitwise loop. */
static const uint32_t nibble[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

static uint32_t take_byte(uint32_t crc) {
    crc = crc >> 4 ^ nibble[crc & 15u];
    return crc >> 4 ^ nibble[crc & 15u];
}

#endif

uint32_t cf_crc32c(const uint8_t *p, uint32_t n) {
    uint32_t crc = 0xffffffffu;

    while (n-- > 0) {
        crc = take_byte(crc ^ *p++);
    }
    return ~crc;
}
