#include "request.h"

uint32_t cf_take(cf_number *to, const struct cf_field *f, uint32_t key, uint32_t n) {
    uint32_t above = 0;

    for (f += key; n > 0; n--, f++, to++) {
        const uint64_t value = (uint64_t)f->high << 32 | f->value;
        *to = (cf_number)value;
        above |= (uint32_t)((value ^ *to) >> 32);
    }
    return above;
}
