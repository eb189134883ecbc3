/* Times a compiled program against a C function of the same meaning, in turns, in
 * one process. Built together with a generated file that defines the baseline.
 *
 * usage: bench CODE-FILE DATA-FILE entry bss rounds calls
 * prints: best ns per call of the program, best ns per call of the baseline */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

void baseline(float *data);
extern float baseline_data[];

typedef void (*entry_fn)(void *data);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint8_t *load(const char *name, size_t extra) {
    FILE *f = fopen(name, "rb");
    if (!f || fseek(f, 0, SEEK_END)) {
        perror(name);
        exit(1);
    }
    size_t n = (size_t)ftell(f);
    rewind(f);
    uint8_t *p = mmap(0, n + extra + 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || fread(p, 1, n, f) != n || mprotect(p, n, PROT_READ | PROT_WRITE | (extra ? 0 : PROT_EXEC))) {
        perror(name);
        exit(1);
    }
    fclose(f);
    return p;
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    size_t entry = strtoul(argv[3], 0, 10), bss = strtoul(argv[4], 0, 10) + 64;
    int rounds = atoi(argv[5]), calls = atoi(argv[6]);
    uint8_t *data = load(argv[2], bss);
    entry_fn program = (entry_fn)(uintptr_t)(load(argv[1], 0) + entry);
    double best_program = 1e300, best_baseline = 1e300;
    for (int r = 0; r < rounds; r++) {
        double t0 = now();
        for (int i = 0; i < calls; i++) program(data);
        double t1 = now();
        for (int i = 0; i < calls; i++) baseline(baseline_data);
        double t2 = now();
        if (t1 - t0 < best_program) best_program = t1 - t0;
        if (t2 - t1 < best_baseline) best_baseline = t2 - t1;
    }
    printf("%.3f %.3f\n", best_program / calls, best_baseline / calls);
    return 0;
}
