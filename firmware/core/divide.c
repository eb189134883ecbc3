#include "divide.h"

/* The quotient moves in from below while the dividend moves out. */
uint64_t cf_divide_million(uint64_t dividend, uint32_t *rest) {
    uint32_t r = 0;

    for (unsigned i = 0; i < 64; i++) {
        r = r << 1 | (uint32_t)(dividend >> 63);
        dividend <<= 1;
        if (r >= CF_MILLION) {
            r -= CF_MILLION;
            dividend |= 1u;
        }
    }
    *rest = r;
    return dividend;
}
