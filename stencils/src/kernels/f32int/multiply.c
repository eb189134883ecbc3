/* What GCC calls for a product of 64 bits on Cortex-M0, which multiplies 32 by 32 bits to 32. */
#include "fixed.h"

uint64_t __aeabi_lmul(uint64_t a, uint64_t b);

uint64_t __aeabi_lmul(uint64_t a, uint64_t b) {
    uint32_t upper = (uint32_t)(a >> 32) * (uint32_t)b + (uint32_t)a * (uint32_t)(b >> 32);
    return cfi_mul((uint32_t)a, (uint32_t)b) + ((uint64_t)upper << 32);
}
