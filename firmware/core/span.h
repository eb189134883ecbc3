#ifndef CF_SPAN_H
#define CF_SPAN_H

#include <stdint.h>

/* Whether n bytes or items from offset on lie within length. */
static inline int cf_within(uint32_t offset, uint32_t n, uint32_t length) {
    return offset <= length && n <= length - offset;
}

#endif
