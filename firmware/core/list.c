#include "list.h"

#include <stddef.h>

#include "span.h"

cf_word *cf_live_at(const struct cf_space *s, uint32_t place, uint32_t n) {
    if ((place & 3u) != 0 || !cf_within(place, n, s->live_length)) {
        return NULL;
    }
    return (cf_word *)(void *)(s->live + place);
}

int32_t cf_list(const struct cf_space *s, uint32_t list, uint32_t values, uint32_t most, enum cf_way way) {
    const volatile cf_word *item = cf_live_at(s, list, 4);

    if (item == NULL) {
        return -1;
    }
    uint32_t count = *item++;
    if (count > s->live_length / 8u || cf_live_at(s, list, 4u + 8u * count) == NULL) {
        return -1;
    }
    uint32_t at = values == CF_LIST_BEHIND ? list + 4u + 8u * count : values;
    const uint32_t start = at;
    for (; count > 0; count--) {
        const uint32_t offset = *item++;
        const uint32_t n = *item++;
        cf_word *from = cf_live_at(s, at, n);
        if (((offset | n) & 3u) != 0 || n > most || !cf_within(offset, n, s->data_length) || from == NULL) {
            return -1;
        }
        if (way != CF_LIST_CHECK) {
            cf_word *to = (cf_word *)(void *)(s->data + offset);
            if (way == CF_LIST_GATHER) {
                cf_word *live = from;
                from = to;
                to = live;
            }
            for (uint32_t i = 0; i < n; i += 4) {
                *to++ = *from++;
            }
        }
        at += n;
        most -= n;
    }
    return (int32_t)(at - start);
}

int cf_is_list(const struct cf_space *s, uint32_t list) {
    return cf_list(s, list, CF_LIST_BEHIND, UINT32_MAX, CF_LIST_CHECK) >= 0;
}

void cf_list_apply(const struct cf_space *s, uint32_t list) {
    (void)cf_list(s, list, CF_LIST_BEHIND, UINT32_MAX, CF_LIST_SCATTER);
}
