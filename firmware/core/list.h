/*
 * Lists in live memory: a count, and for each span of the data block its offset and its length, all of 32 bits. Whoever wrote a list
 * may have written anything, at any time, so it is checked at each use.
 */
#ifndef CF_LIST_H
#define CF_LIST_H

#include "loop.h"

/* n bytes at a place in live memory, or NULL if they are not all there, or not aligned to 4. */
cf_word *cf_live_at(const struct cf_space *s, uint32_t place, uint32_t n);

/* What to do with a list, as the two lower bits of the most bytes that are copied. */
enum cf_way {
    CF_LIST_CHECK,   /* only whether all of it could be copied */
    CF_LIST_GATHER,  /* from data to live memory */
    CF_LIST_SCATTER, /* back */
};
#define CF_LIST_ANY (UINT32_MAX - 3u)

/* The place of values that lie behind their list. */
#define CF_LIST_BEHIND 0u

/* Copies what a list names from or to live memory, one span after the other from `values` on. Returns the bytes, or -1 if
 * there are more than `most` or something is not inside of its memory: what comes before it has been copied. */
int32_t cf_list(const struct cf_space *s, uint32_t list, uint32_t values, uint32_t most);

/* Gives variables the values behind a list, all or none. Returns less than 0 if it was none. */
int32_t cf_list_apply(const struct cf_space *s, uint32_t list);

#endif
