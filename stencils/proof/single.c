/* Compares routines for single arithmetic in integers with float registers: routines of one
 * operand for all 2^32, routines of two for
 *   - all pairs of a set: both signs, all 256 exponents, fractions at their ends;
 *   - fractions that are a run of ones, all pairs of them, exponents near each other and at
 *     the ends of their range;
 *   - random pairs: exponents far and near, fractions of few bits and of all but few; for
 *     products and quotients also such as lie next to the middle of two floats.
 *
 * One byte of input, a digit n, says how much of that: each 4^n-th, of every level. Prints a
 * line for each routine; exit 1 on any difference. Freestanding: for cores without C library. */
#include "../selftest/harness/linux.h"
#include "single.h"

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u
#define FRACTION 0x007fffffu

static uint32_t thin; /* of 2^thin cases one is tried */
static uint32_t count_low, count_high, different;
static const struct single *now;

static void print(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    linux_write(1, s, n);
}

static void print_hex(uint32_t u, int digits) {
    char text[8];
    for (int i = 0; i < digits; i++) text[i] = "0123456789abcdef"[u >> 4 * (digits - 1 - i) & 15];
    linux_write(1, text, (size_t)digits);
}

static uint32_t plain(uint32_t u) { return (u & ~SIGN) > INFINITE ? 0x7fc00000u : u; }

static void check(uint32_t a, uint32_t b) {
    uint32_t want = now->hardware(a, b), got = now->tested(a, b);
    if (++count_low == 0) count_high++;
    if (want == got || plain(want) == plain(got)) return;
    if (different++ < 20) {
        print("  "), print(now->name), print("("), print_hex(a, 8), print(", "), print_hex(b, 8);
        print("): hardware "), print_hex(want, 8), print(", tested "), print_hex(got, 8), print("\n");
    }
}

static uint32_t state[4] = {0x9e3779b9u, 0x243f6a88u, 0xb7e15162u, 1u};

static uint32_t next(void) { /* xorshift128 of Marsaglia */
    uint32_t t = state[3], s = state[0];
    state[3] = state[2], state[2] = state[1], state[1] = s;
    t ^= t << 11, t ^= t >> 8;
    return state[0] = t ^ s ^ s >> 19;
}

/* From a case to the next one to try: 2^thin on average. */
static uint32_t stride(void) { return thin == 0 ? 1 : 1 + next() % ((2u << thin) - 1); }

static const uint32_t ends[] = {
    0, 1, 2, 3, 0x0fff, 0x1000, 0x1001, 0x155555, 0x200000, 0x2aaaaa, 0x3fffff, 0x400000, 0x400001, 0x7ff000, 0x7ffffd, 0x7ffffe, 0x7fffff,
};
enum { ENDS = sizeof ends / sizeof *ends };

static uint32_t member(uint32_t i) { return i % 512 << 23 | ends[i / 512]; }

static void pairs_of_the_set(void) {
    const uint32_t n = 512 * ENDS;
    for (uint32_t i = stride() - 1; i < n * n; i += stride()) check(member(i / n), member(i % n));
}

/* Runs of ones: 276 fractions, 0 among them. */
static uint32_t run_of_ones(uint32_t i) {
    for (uint32_t length = 1; length <= 23; i -= 24 - length, length++)
        if (i < 24 - length) return ((1u << length) - 1) << i;
    return 0;
}

static void pairs_of_runs(void) {
    static const uint32_t exponents[] = {0, 1, 24, 126, 149, 230, 254};
    enum { RUNS = 277, EXPONENTS = sizeof exponents / sizeof *exponents, NEAR = 55 };
    for (uint32_t i = stride() - 1; i < RUNS * RUNS * EXPONENTS * NEAR; i += stride()) {
        uint32_t e = exponents[i / NEAR % EXPONENTS], pair = i / (NEAR * EXPONENTS);
        uint32_t a = e << 23 | run_of_ones(pair / RUNS), b = ((e + i % NEAR - NEAR / 2) & 255) << 23 | run_of_ones(pair % RUNS);
        check(a, b ^ (next() & SIGN));
    }
}

/* A float whose fraction may have few bits, or all but few. */
static uint32_t draw(void) {
    uint32_t r = next(), f = next();
    if (r & 1) f &= FRACTION << (r >> 8 & 31);
    if (r & 2) f |= FRACTION >> (r >> 16 & 31);
    return (next() & ~FRACTION) | (f & FRACTION);
}

/* b with an exponent within 31 of that of a, or of its complement: a product or quotient
 * that is neither infinite nor zero. */
static uint32_t near(uint32_t a, uint32_t b, uint32_t r) {
    uint32_t e = (r & 1) ? a >> 23 : 254 - (a >> 23);
    return (b & ~INFINITE) | ((e + (r >> 1 & 63) - 31) & 255) << 23;
}

/* The inverse of an odd number modulo 2^32, by Newton's steps. */
static uint32_t inverse(uint32_t odd) {
    uint32_t x = odd;
    for (int i = 0; i < 5; i++) x *= 2 - odd * x;
    return x;
}

/* A product whose low bits are the half of a unit, or next to it. */
static void tie_of_product(uint32_t r) {
    uint32_t m = (next() & FRACTION) | 0x800001u;
    uint32_t low = 0x800000u + (r & 7) - 3; /* of 24 bits; where the product has 47 these are a bit more */
    uint32_t n = (low >> (r >> 3 & 1)) * inverse(m) & 0xffffffu;
    if (n >> 23 == 0) return;
    uint32_t e = next() >> 24, f = 254 - e + (r >> 8 & 31) - 15;
    check((r & SIGN) | (e & 255) << 23 | (m & FRACTION), (f & 255) << 23 | (n & FRACTION));
}

/* A dividend next to the product of the divisor with the middle of two floats. */
static void tie_of_quotient(uint32_t r) {
    uint32_t n = (next() & FRACTION) | 0x800000u, middle = (next() & 0xffffffu) << 1 | 0x1000001u;
    uint32_t m = (uint32_t)((uint64_t)n * middle >> 24) + (r & 3) - 1;
    while (m >> 24 != 0) m >>= 1;
    if (m >> 23 == 0) return;
    uint32_t e = next() >> 24, f = e + (r >> 8 & 31) - 15;
    check((r & SIGN) | (e & 255) << 23 | (m & FRACTION), (f & 255) << 23 | (n & FRACTION));
}

enum { RANDOM = 1 << 24 };

static void random_pairs(void) {
    for (uint32_t i = 0; i < (uint32_t)RANDOM >> thin; i++) {
        uint32_t a = draw(), b = draw(), r = next();
        check(a, b);
        check(a, near(a, b, r));
        check(a, a ^ (r & (SIGN | 0xffu)));
        tie_of_product(r);
        tie_of_quotient(r);
    }
}

static void all_operands(void) {
    uint32_t u = 0, step = 1u << thin; /* a sample has both ends of what rounds alike */
    do {
        check(u | (thin != 0 ? next() & (step - 1) : 0), 0);
        if (thin != 0) check(u, 0), check(u | (step - 1), 0);
    } while ((u += step) != 0);
}

_Noreturn void serve(void) {
    uint8_t digit = '0';
    int wrong = 0;
    if (!linux_read(&digit, 1) || digit < '0' || digit > '9') linux_fail("a digit is to say how much to try\n");
    thin = digit - '0';
    thin *= 2;
    for (now = singles; now->name != 0; now++) {
        count_low = count_high = different = 0;
        if (now->operands == 1) {
            all_operands();
        } else {
            pairs_of_the_set();
            pairs_of_runs();
            random_pairs();
        }
        print(now->name), print(" cases=0x"), print_hex(count_high, 2), print_hex(count_low, 8);
        print(thin != 0 ? " sample" : ""), print(" different="), print_hex(different, 8), print("\n");
        wrong |= different != 0;
    }
    linux_exit(wrong);
}
