#include "mem.h"

#include <stdint.h>

#include "small.h"

/*
 * Compiled with -fno-tree-loop-distribute-patterns, or GCC would turn each loop into a call of itself. Words are used only where
 * all pointers are aligned, since not every core that runs this takes unaligned access, and not where size comes first.
 */
typedef uintptr_t __attribute__((may_alias)) word;

/* GCC makes calls of these after it has decided what is used. */
#define CALLED_BY_COMPILER __attribute__((used))

static int aligned(const void *p) {
    return !CF_SMALL && (uintptr_t)p % sizeof(word) == 0;
}

CALLED_BY_COMPILER void *memcpy(void *restrict dst, const void *restrict src, size_t n) {
    unsigned char *d = dst;
    const unsigned char *s = src;

    if (aligned(d) && aligned(s)) {
        for (; n >= sizeof(word); n -= sizeof(word)) {
            *(word *)(void *)d = *(const word *)(const void *)s;
            d += sizeof(word);
            s += sizeof(word);
        }
    }
    while (n-- > 0) {
        *d++ = *s++;
    }
    return dst;
}

CALLED_BY_COMPILER void *memset(void *dst, int value, size_t n) {
    unsigned char *d = dst;
    unsigned char byte = (unsigned char)value;

    if (aligned(d)) {
        word fill = (word)-1 / 255u * byte;
        for (; n >= sizeof(word); n -= sizeof(word)) {
            *(word *)(void *)d = fill;
            d += sizeof(word);
        }
    }
    if (n > 0) { /* downwards, and tested at the end: a Cortex-M0 takes 7 cycles for a byte instead of 10 */
        do {
            d[--n] = byte;
        } while (n > 0);
    }
    return dst;
}

CALLED_BY_COMPILER int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *x = a;
    const unsigned char *y = b;

    for (; n > 0; n--, x++, y++) {
        if (*x != *y) {
            return *x < *y ? -1 : 1;
        }
    }
    return 0;
}
