/* A number from a register that gives another random value, or random bit, every now and then. */
#ifndef CF_NOISE_H
#define CF_NOISE_H

#include "drivers/mmio.h"

/* Each bit of the result is made of many that were read, since one may depend on those before. */
static inline uint32_t cf_noise(uintptr_t address, uint32_t turns) {
    uint32_t noise = 0;

    while (turns-- > 0) {
        noise = (noise << 1 | noise >> 31) ^ cf_mmio_read(address);
    }
    return noise;
}

#endif
