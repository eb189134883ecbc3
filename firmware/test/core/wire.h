/* Little-endian loads and stores that need no alignment, which the core itself has no use for. */
#ifndef CF_TEST_WIRE_H
#define CF_TEST_WIRE_H

#include "core/bytes.h"

static inline uint16_t load16(const uint8_t *p) {
    return (uint16_t)(p[0] | (uint32_t)p[1] << 8);
}

static inline uint32_t load32(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void store16(uint8_t *p, uint16_t v) {
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

#endif
