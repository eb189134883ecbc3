/* The place of the largest or smallest number of a line in the data block: of equal ones the
 * first; -0 equals +0, and a NaN is both the largest and the smallest. No branch depends on
 * the numbers where there are float registers or conditional moves; the compiler knows how
 * often each mark is passed (compiler/internal/lir/place.go). */
//@ kernel largestfloat i32 =II needs places: place_of_float(a, b, base, 0)
//@ kernel smallestfloat i32 =II needs places: place_of_float(a, b, base, 1)
//@ kernel largestint i32 =II needs places: place_of_int(a, b, base, 0)
//@ kernel smallestint i32 =II needs places: place_of_int(a, b, base, 1)
#ifndef CF_ORDER_PLACE_H
#define CF_ORDER_PLACE_H

#include "../../stencil.h"

/* Each way through a loop passes a mark: the builder adds up the instructions between marks. */
#define MARK(name) __asm__ volatile("cf_mark_" name "_%=:" : :)

/* What the compiler has prepared for a line, and where it finds the place. */
struct line {
    u32 place;
    u32 n; /* elements, at least BLOCK */
};
typedef struct line __attribute__((may_alias)) *line_ptr;

/* Lines of fewer elements are not for these kernels. */
#define BLOCK 8

TEXT line_ptr line_at(u32 how, base_ptr base) { return (line_ptr)(void *)(base + how - BASE_BIAS); }

/* The bytes from the first element to one of them are its place, times 4. */
TEXT void place_of_int(u32 from, u32 how, base_ptr base, u32 least) {
    line_ptr line = line_at(how, base);
    const u32_word *first = (const u32_word *)(const void *)(base + from - BASE_BIAS), *p = first + line->n, *at = first;
    i32 best = least ? INT32_MAX : INT32_MIN;
    do { /* from behind, so that of equal ones the first stays */
        MARK("number");
        i32 x = (i32)*--p;
#if defined(__riscv)
        uintptr_t take = 0u - (uintptr_t)!(least ? best < x : x < best);
        best ^= (i32)((u32)(best ^ x) & (u32)take);
        at = (const u32_word *)((uintptr_t)at ^ (((uintptr_t)at ^ (uintptr_t)p) & take));
#else
        u32 take = least ? x <= best : x >= best;
        at = take ? p : at;
        best = take ? x : best;
#endif
    } while (p != first);
    MARK("end");
    line->place = (u32)(at - first);
}

#if defined(__ARM_FP)

/* The flags of a comparison with a NaN are neither ge nor ls, but vs. */
#define STEP(holds, best, at, nan, x, p)                                                                \
    __asm__("vcmp.f32 %3, %0\n\tvmrs APSR_nzcv, fpscr\n\titt " holds "\n\tvmov" holds ".f32 %0, %3\n\t" \
            "mov" holds " %1, %4\n\tit vs\n\tmovvs %2, %4"                                              \
            : "+t"(best), "+r"(at), "+r"(nan)                                                          \
            : "t"(x), "r"(p)                                                                            \
            : "cc")

TEXT void place_of_float(u32 from, u32 how, base_ptr base, u32 least) {
    line_ptr line = line_at(how, base);
    const f32_word *first = (const f32_word *)(const void *)(base + from - BASE_BIAS), *p = first + line->n, *at = first, *nan = 0;
    f32 best = from_bits(least ? INFINITY_BITS : INFINITY_BITS | SIGN_BIT);
    do { /* from behind, so that of equal ones the first stays */
        MARK("number");
        f32 x = *--p;
        if (least)
            STEP("ls", best, at, nan, x, p);
        else
            STEP("ge", best, at, nan, x, p);
    } while (p != first);
    MARK("end");
    line->place = (u32)((nan ? nan : at) - first);
}

#elif defined(__riscv_flen)

/* fmin and fmax pass over a NaN, which is noted beside. */
TEXT f32 better_of(f32 a, f32 b, u32 least) {
    f32 r;
    if (least)
        __asm__("fmin.s %0, %1, %2" : "=f"(r) : "f"(a), "f"(b));
    else
        __asm__("fmax.s %0, %1, %2" : "=f"(r) : "f"(a), "f"(b));
    return r;
}

/* A comparison that GCC does not make a branch of. */
#define HOLDS(insn, a, b)                                                     \
    ({                                                                        \
        uintptr_t holds;                                                      \
        __asm__(insn ".s %0, %1, %2" : "=r"(holds) : "f"(a), "f"(b));       \
        holds;                                                                \
    })

/* First the block with the best number, then the place in it. The last block ends with the
 * line: the one before may have some of its elements, which then are no better. */
TEXT void place_of_float(u32 from, u32 how, base_ptr base, u32 least) {
    line_ptr line = line_at(how, base);
    const f32_word *first = (const f32_word *)(const void *)(base + from - BASE_BIAS);
    const f32_word *last = first + (i32)line->n - BLOCK, *p = first, *at = first;
    f32 best = from_bits(least ? INFINITY_BITS : INFINITY_BITS | SIGN_BIT);
    for (;;) {
        MARK("block");
        f32 m = p[0];
        uintptr_t numbers = HOLDS("feq", m, m);
#pragma GCC unroll 8
        for (u32 k = 1; k < BLOCK; k++) {
            f32 x = p[k];
            numbers &= HOLDS("feq", x, x);
            m = better_of(m, x, least);
        }
        m = from_bits(bits(m) | ((u32)numbers - 1u)); /* a NaN */
        uintptr_t stays = HOLDS("feq", best, best) ^ 1u;
        stays |= least ? HOLDS("fle", best, m) : HOLDS("fle", m, best);
        uintptr_t take = stays - 1u;
        at = (const f32_word *)((uintptr_t)at ^ (((uintptr_t)at ^ (uintptr_t)p) & take));
        u32 now = bits(best);
        best = from_bits(now ^ ((now ^ bits(m)) & (u32)take));
        if (p >= last) break;
        p += BLOCK;
        if (p > last) p = last;
    }
    MARK("end");
    /* As many elements as come from the first one on that is the best. */
    uintptr_t nan = HOLDS("feq", best, best) ^ 1u, found = 0, rest = 0;
#pragma GCC unroll 8
    for (u32 k = 0; k < BLOCK; k++) {
        f32 x = at[k];
        found |= HOLDS("feq", x, best) | (HOLDS("feq", x, x) < nan);
        rest += found;
    }
    line->place = (u32)(at - first) + (BLOCK - (u32)rest);
}

#else

/* By integers of the same order, in which all NaNs are the largest. */
TEXT void place_of_float(u32 from, u32 how, base_ptr base, u32 least) {
    line_ptr line = line_at(how, base);
    const u32_word *first = (const u32_word *)(const void *)(base + from - BASE_BIAS), *p = first + line->n, *at = first;
    i32 best = -0x7fffffff - 1;
    do { /* from behind, so that of equal ones the first stays */
        MARK("number");
        u32 x = *--p ^ (least ? SIGN_BIT : 0u), magnitude = x & MAGNITUDE, sign = (u32)((i32)x >> 31);
        i32 key = (i32)((magnitude ^ sign) - sign);
        key = magnitude > INFINITY_BITS ? (i32)INFINITY_BITS + 1 : key;
#if defined(__riscv)
        uintptr_t take = (uintptr_t)(key < best) - 1u;
        best ^= (i32)((u32)(best ^ key) & (u32)take);
        at = (const u32_word *)((uintptr_t)at ^ (((uintptr_t)at ^ (uintptr_t)p) & take));
#else
        u32 take = key >= best;
        at = take ? p : at;
        best = take ? key : best;
#endif
    } while (p != first);
    MARK("end");
    line->place = (u32)(at - first);
}

#endif

#endif
