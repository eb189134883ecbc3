#include "divide.h"

/* The quotient moves in from below while the dividend moves out. */
struct cf_quotient cf_divide(uint64_t dividend, uint32_t divisor) {
    struct cf_quotient q = {dividend, 0};

    for (unsigned i = 0; i < 64; i++) {
        q.rest = q.rest << 1 | (uint32_t)(q.quotient >> 63);
        q.quotient <<= 1;
        if (q.rest >= divisor) {
            q.rest -= divisor;
            q.quotient |= 1u;
        }
    }
    return q;
}
