/* ns per call of each kernel beside glibc's function, in one run on one core.
 *
 * latency: each argument depends on the previous result; throughput: calls are
 * independent. Both count an out-of-line call. Least of REPEATS rounds over N
 * pseudo-random arguments from the stated range. "descent" is a chain of 48
 * gradient steps of a two-link arm, two sincos calls each: ns per chain. */
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "../src/kernels/f32/bits.h"
#include "../src/kernels/f32/kernels.h"
#include "pairs.h"

enum { N = 4096, REPEATS = 100, DESCENTS = 2000 };

static float xs[N], ys[N];
static volatile uint32_t zero;
static volatile float sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fill(float *v, double low, double high, uint64_t *state) {
    for (int i = 0; i < N; i++)
        v[i] = (float)(low + (high - low) * (double)(next_random(state) >> 32) * 0x1p-32);
}

struct cost {
    double latency, throughput;
};

/* step: the call on x as result bits; keep: the call, its result stored. */
#define MEASURE(cost, step, keep)                                      \
    do {                                                               \
        uint32_t mask = zero, o = 0;                                   \
        (cost).latency = (cost).throughput = DBL_MAX;                  \
        for (int round = 0; round < REPEATS; round++) {                \
            double t = now();                                          \
            for (int i = 0; i < N; i++) {                              \
                float x = cf_f32(cf_bits32(xs[i]) ^ (o & mask));       \
                o = step;                                              \
            }                                                          \
            (cost).latency = fmin((cost).latency, (now() - t) / N);    \
            t = now();                                                 \
            for (int i = 0; i < N; i++) {                              \
                float x = xs[i];                                       \
                keep;                                                  \
            }                                                          \
            (cost).throughput = fmin((cost).throughput, (now() - t) / N); \
        }                                                              \
        sink = cf_f32(o);                                              \
    } while (0)

static uint64_t seed = 1;

static void row(const char *name, double low, double high, struct cost own, struct cost libm) {
    printf("%-7s [%g,%g]%*s %6.2f %6.2f  %6.2f %6.2f\n", name, low, high,
           (int)(14 - snprintf(NULL, 0, "[%g,%g]", low, high)), "", own.latency, libm.latency,
           own.throughput, libm.throughput);
}

#define ONE(name, low, high)                                               \
    do {                                                                   \
        struct cost own, libm;                                             \
        fill(xs, low, high, &seed);                                        \
        MEASURE(own, cf_bits32(cf_##name(x)), sink = cf_##name(x));        \
        MEASURE(libm, cf_bits32(name##f(x)), sink = name##f(x));           \
        row(#name, low, high, own, libm);                                  \
    } while (0)

#define TWO(name, low, high)                                               \
    do {                                                                   \
        struct cost own, libm;                                             \
        fill(xs, low, high, &seed);                                        \
        fill(ys, -3, 3, &seed);                                            \
        MEASURE(own, cf_bits32(cf_##name(x, ys[i])), sink = cf_##name(x, ys[i])); \
        MEASURE(libm, cf_bits32(name##f(x, ys[i])), sink = name##f(x, ys[i]));    \
        row(#name, low, high, own, libm);                                  \
    } while (0)

struct sincos {
    float s, c;
};

static struct sincos own_sincos(float x) {
    struct cf_sincos_result r = cf_sincos(x);
    return (struct sincos){r.sine[0], r.cosine[0]};
}

static struct sincos libm_sincos(float x) {
    struct sincos r;
    sincosf(x, &r.s, &r.c);
    return r;
}

static uint32_t both(struct sincos r) {
    return cf_bits32(r.s) ^ cf_bits32(r.c);
}

static void keep(struct sincos r) {
    sink = r.s;
    sink = r.c;
}

static void sincos_row(double low, double high) {
    struct cost own, libm;
    fill(xs, low, high, &seed);
    MEASURE(own, both(own_sincos(x)), keep(own_sincos(x)));
    MEASURE(libm, both(libm_sincos(x)), keep(libm_sincos(x)));
    row("sincos", low, high, own, libm);
}

#define DESCENT(name, sincos_of)                                              \
    static double name(void) {                                                \
        double best = DBL_MAX;                                                \
        for (int round = 0; round < DESCENTS; round++) {                      \
            float a = cf_f32(zero), b = cf_f32(zero);                         \
            double t = now();                                                 \
            for (int i = 0; i < 48; i++) {                                    \
                struct sincos p = sincos_of(a), q = sincos_of(a + b);         \
                float ex = 1.8f * p.c + 2.0f * q.c - 0.7f;                    \
                float ey = 1.8f * p.s + 2.0f * q.s - 0.7f;                    \
                float gb = 4.0f * (ey * q.c - ex * q.s);                      \
                float ga = gb + 3.6f * (ey * p.c - ex * p.s);                 \
                a -= 0.1f * ga;                                               \
                b -= 0.1f * gb;                                               \
            }                                                                 \
            best = fmin(best, now() - t);                                     \
            sink = a + b;                                                     \
        }                                                                     \
        return best;                                                          \
    }

DESCENT(own_descent, own_sincos)
DESCENT(libm_descent, libm_sincos)

int main(void) {
    printf("%-22s latency: own, glibc; throughput: own, glibc (ns)\n", "");
    sincos_row(-0.7, 0.7);
    sincos_row(-3.2, 3.2);
    sincos_row(-1000, 1000);
    sincos_row(-1e8, 1e8);
    ONE(sin, -3.2, 3.2);
    ONE(cos, -3.2, 3.2);
    ONE(tan, -3.2, 3.2);
    ONE(asin, -1, 1);
    ONE(acos, -1, 1);
    ONE(atan, -5, 5);
    ONE(exp, -80, 80);
    ONE(log, 0.001, 1000);
    ONE(sqrt, 0, 1000);
    ONE(exp2, -100, 100);
    ONE(expm1, -10, 10);
    ONE(sinh, -10, 10);
    ONE(cosh, -10, 10);
    ONE(tanh, -5, 5);
    ONE(log2, 0.001, 1000);
    ONE(log10, 0.001, 1000);
    ONE(log1p, -0.9, 10);
    ONE(cbrt, -1000, 1000);
    TWO(atan2, -3, 3);
    TWO(pow, 0.01, 30);
    TWO(hypot, -3, 3);
    double own = own_descent(), libm = libm_descent();
    printf("descent: own %.0f, glibc %.0f, ratio %.3f\n", own, libm, own / libm);
    return 0;
}
