/* Runs compiled programs for the tests: reads programs from standard input, runs
 * each, and writes the data block that it leaves to standard output.
 *
 * A program is seven little-endian words (code bytes, entry, data bytes, bss
 * bytes, runs, two zeros) and its code and data. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef void (*entry_fn)(void *data);

enum { PAGE = 65536 };

static void read_all(void *to, size_t n) {
    if (fread(to, 1, n, stdin) != n) {
        fprintf(stderr, "harness: input ends early\n");
        exit(1);
    }
}

/* Memory of n bytes that ends, but for alignment to 64, at a page that faults. */
static uint8_t *guarded(size_t n) {
    size_t size = (n + PAGE - 1) / PAGE * PAGE;
    uint8_t *p = mmap(0, size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + PAGE, size, PROT_READ | PROT_WRITE)) {
        perror("harness: mmap");
        exit(1);
    }
    return p + PAGE + (size - (n + 63) / 64 * 64);
}

static void release(uint8_t *p, size_t n) {
    size_t size = (n + PAGE - 1) / PAGE * PAGE;
    uint8_t *start = p - (size - (n + 63) / 64 * 64) - PAGE;
    munmap(start, size + 2 * PAGE);
}

int main(void) {
    uint32_t h[7];
    while (fread(h, 4, 7, stdin) == 7) {
        size_t room = ((size_t)h[0] + PAGE - 1) / PAGE * PAGE;
        uint8_t *code = mmap(0, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (code == MAP_FAILED) {
            perror("harness: mmap");
            return 1;
        }
        uint32_t size = h[2] + h[3];
        uint8_t *data = guarded(size);
        read_all(code, h[0]);
        read_all(data, h[2]);
        if (mprotect(code, room, PROT_READ | PROT_EXEC)) {
            perror("harness: mprotect");
            return 1;
        }
        __builtin___clear_cache((char *)code, (char *)code + h[0]);
        entry_fn run = (entry_fn)(uintptr_t)(code + h[1]);
        for (uint32_t i = 0; i < h[4]; i++) run(data);
        fwrite(data, 1, size, stdout);
        munmap(code, room);
        release(data, size);
    }
    return 0;
}
