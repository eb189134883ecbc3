/* Division of 64 bits by a million, without the compiler's own, which would be a tenth of a small runner. */
#ifndef CF_DIVIDE_H
#define CF_DIVIDE_H

#include <stdint.h>

#define CF_MILLION 1000000u

/* Returns the quotient, and in *rest what remains. */
uint64_t cf_divide_million(uint64_t dividend, uint32_t *rest);

#endif
