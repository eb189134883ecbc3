/* Division of 64 by 32 bits, without the compiler's own, which would be a tenth of a small runner. */
#ifndef CF_DIVIDE_H
#define CF_DIVIDE_H

#include <stdint.h>

struct cf_quotient {
    uint64_t quotient;
    uint32_t rest;
};

/* divisor is 1 to 2^31. */
struct cf_quotient cf_divide(uint64_t dividend, uint32_t divisor);

#endif
