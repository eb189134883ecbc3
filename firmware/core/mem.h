/*
 * The three memory functions that freestanding GCC may call by itself. A hosted build takes them from its libc; every
 * other build compiles mem.c.
 */
#ifndef CF_MEM_H
#define CF_MEM_H

#include <stddef.h>

void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memset(void *dst, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);

#endif
