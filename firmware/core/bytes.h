/* Words in memory, in little endian. */
#ifndef CF_BYTES_H
#define CF_BYTES_H

#include <stdint.h>

/* A word where memory is known to be aligned. */
typedef uint32_t __attribute__((may_alias)) cf_word;
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "that of the protocol");

/* Needs no alignment. */
static inline void cf_store32(uint8_t *p, uint32_t v) {
#ifdef __ARM_FEATURE_UNALIGNED /* GCC does not find the one instruction by itself */
    __builtin_memcpy(p, &v, sizeof v);
#else
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
#endif
}

#endif
