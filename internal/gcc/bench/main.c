/* Runs batches of calls of programs and of C functions of the same meaning, as it is asked to. Built
 * together with a generated file, the list of them.
 *
 * Each line of the input is: number of the function, number of calls, byte offset of a result. The
 * answer is: ns that the batch took, the 32 bits of that result. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "main.h"

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint8_t *load(const char *name, size_t extra, int protection) {
    FILE *f = fopen(name, "rb");
    if (!f || fseek(f, 0, SEEK_END)) {
        perror(name);
        exit(1);
    }
    size_t n = (size_t)ftell(f);
    rewind(f);
    uint8_t *p = mmap(0, n + extra + 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || fread(p, 1, n, f) != n || mprotect(p, n + extra + 64, protection)) {
        perror(name);
        exit(1);
    }
    fclose(f);
    return p;
}

int main(void) {
    for (size_t i = 0; i < functions_count; i++) {
        struct function *f = &functions[i];
        if (f->code) {
            f->call = (call_fn)(uintptr_t)(load(f->code, 0, PROT_READ | PROT_EXEC) + f->entry);
            f->data = (float *)(void *)load(f->initial, f->bss + 64, PROT_READ | PROT_WRITE);
        }
    }
    char line[80];
    while (fgets(line, sizeof line, stdin)) {
        size_t which, offset;
        long calls;
        if (sscanf(line, "%zu %ld %zu", &which, &calls, &offset) != 3 || which >= functions_count) return 2;
        const struct function *f = &functions[which];
        for (long i = 0; i <= calls / 8; i++) f->call(f->data); /* into the caches */
        int64_t start = now();
        for (long i = 0; i < calls; i++) f->call(f->data);
        int64_t took = now() - start;
        uint32_t bits;
        memcpy(&bits, (const uint8_t *)f->data + offset, sizeof bits);
        printf("%lld %u\n", (long long)took, (unsigned)bits);
        fflush(stdout);
    }
    return 0;
}
