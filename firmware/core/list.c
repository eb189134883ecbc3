#include "list.h"

#include <stddef.h>

#include "span.h"

cf_word *cf_live_at(const struct cf_space *s, uint32_t place, uint32_t n) {
    if ((place & 3u) != 0 || !cf_within(place, n, s->live_length)) {
        return NULL;
    }
    return (cf_word *)(void *)(s->live + place);
}

int32_t cf_list(const struct cf_space *s, uint32_t list, uint32_t values, uint32_t most) {
    const volatile cf_word *item = cf_live_at(s, list, 4);

    if (item == NULL) {
        return -1;
    }
    uint32_t count = *item++;
    list += 4u;
    if (count > s->live_length || cf_live_at(s, list, 8u * count) == NULL) { /* so that the bytes do not wrap */
        return -1;
    }
    uint32_t at = values == CF_LIST_BEHIND ? list + 8u * count : values;
    const uint32_t start = at;
    for (; count > 0; count--) {
        const uint32_t offset = *item++;
        uint32_t n = *item++;
        cf_word *live = cf_live_at(s, at, n);
        if (((offset | n) & 3u) != 0 || n > most || !cf_within(offset, n, s->data_length) || live == NULL) {
            return -1;
        }
        cf_word *data = (cf_word *)(void *)(s->data + offset);
        at += n;
        most -= n;
        for (; n > 0; n -= 4u) {
            if ((most & CF_LIST_GATHER) != 0) {
                *live = *data;
            } else if ((most & CF_LIST_SCATTER) != 0) {
                *data = *live;
            }
            live++;
            data++;
        }
    }
    return (int32_t)(at - start);
}

int32_t cf_list_apply(const struct cf_space *s, uint32_t list) {
    const int32_t bytes = cf_list(s, list, CF_LIST_BEHIND, CF_LIST_ANY | CF_LIST_CHECK);

    return bytes < 0 ? bytes : cf_list(s, list, CF_LIST_BEHIND, CF_LIST_ANY | CF_LIST_SCATTER);
}
