/* The place of the largest or smallest number of a line in the data block: of equal ones the
 * first; -0 equals +0, and a NaN is both the largest and the smallest. Where there are float
 * registers or conditional moves, no branch depends on the numbers but those on RISC-V around a
 * move, and one for lines with a NaN; the compiler knows how often each mark is passed
 * (compiler/internal/lir/place.go). */
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

#if defined(__riscv)
/* Takes x, at p, for the best so far unless less < than: GCC would make masks of it. */
#define TAKE_UNLESS_LESS(less, than, best, at, x, p)                         \
    __asm__("blt " less ", " than ", 4f\n\tmv %0, %2\n\tmv %1, %3\n4:"   \
            : "+r"(best), "+r"(at) : "r"(x), "r"(p))
#endif

/* The bytes from the first element to one of them are its place, times 4. */
TEXT void place_of_int(u32 from, u32 how, base_ptr base, u32 least) {
    line_ptr line = line_at(how, base);
    const u32_word *first = (const u32_word *)(const void *)(base + from - BASE_BIAS), *p = first + line->n, *at = first;
#if defined(__riscv)
    intptr_t best = least ? INT32_MAX : INT32_MIN;
#else
    i32 best = least ? INT32_MAX : INT32_MIN;
#endif
    do { /* from behind, so that of equal ones the first stays */
        MARK("number");
        i32 x = (i32)*--p;
#if defined(__riscv)
        if (least)
            TAKE_UNLESS_LESS("%0", "%2", best, at, (intptr_t)x, p);
        else
            TAKE_UNLESS_LESS("%2", "%0", best, at, (intptr_t)x, p);
#else
        u32 take = least ? x <= best : x >= best;
        at = take ? p : at;
        best = take ? x : best;
#endif
    } while (p != first);
    MARK("end");
    line->place = (u32)(at - first);
}

#if defined(__riscv_flen) || (defined(__ARM_FP) && (__ARM_FP & 8) != 0 && __ARM_ARCH_PROFILE == 'M') /* RISC-V, FPv5 */

/* A comparison of a NaN raises a flag that stays until it is lowered: of two numbers by one instruction. */
#if defined(__ARM_FP)

#define INVALID 1u
TEXT void lower_flags(void) {
    u32 flags;
    __asm__ volatile("vmrs %0, fpscr\n\tbic %0, %0, #1\n\tvmsr fpscr, %0" : "=r"(flags));
}
TEXT u32 raised_flags(void) {
    u32 flags;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(flags));
    return flags & INVALID;
}
#define FLOAT "t"
#define COMPARE "vcmpe.f32 %0, %1"
#define LESSER "vminnm.f32 %0, %1, %2"
#define GREATER "vmaxnm.f32 %0, %1, %2"
#define BETTER_BLOCK(holds, best, at, x, p)                                                                  \
    __asm__("vcmp.f32 %2, %0\n\tvmrs APSR_nzcv, fpscr\n\titt " holds "\n\tvmov" holds ".f32 %0, %2\n\t"    \
            "mov" holds " %1, %3" : "+t"(best), "+r"(at) : "t"(x), "r"(p) : "cc")
/* The flags of a comparison with a NaN are vs, and neither eq, mi nor gt. */
#define FIND(place, nan, x, best, p)                                                                         \
    __asm__("vcmp.f32 %2, %3\n\tvmrs APSR_nzcv, fpscr\n\tit eq\n\tmoveq %0, %4\n\tit vs\n\tmovvs %1, %4"   \
            : "+r"(place), "+r"(nan) : "t"(x), "t"(best), "r"(p) : "cc")

#else

#define INVALID 16u
TEXT void lower_flags(void) { __asm__ volatile("csrrw x0, fflags, x0"); }
TEXT u32 raised_flags(void) {
    uintptr_t flags; /* no other operation below raises one */
    __asm__ volatile("csrrs %0, fflags, x0" : "=r"(flags));
    return (u32)flags;
}
#define COMPARE "fle.s x0, %0, %1"
#define LESSER "fmin.s %0, %1, %2"
#define GREATER "fmax.s %0, %1, %2"
#define FLOAT "f"

/* Masks would take three instructions more. */
#define MOVE_UNLESS(branch, to, x, from) __asm__(branch "\n\tmv %0, %2\n4:" : "+r"(to) : "r"(x), "r"(from))

/* A comparison that GCC does not make a branch of. */
#define HOLDS(insn, a, b)                                                     \
    ({                                                                        \
        uintptr_t holds;                                                      \
        __asm__(insn ".s %0, %1, %2" : "=r"(holds) : "f"(a), "f"(b));       \
        holds;                                                                \
    })

#endif

TEXT f32 better_of(f32 a, f32 b, u32 least) {
    f32 r;
    if (least)
        __asm__(LESSER : "=" FLOAT(r) : FLOAT(a), FLOAT(b));
    else
        __asm__(GREATER : "=" FLOAT(r) : FLOAT(a), FLOAT(b));
    return r;
}

/* The best number of a block, or anything if it has a NaN, which raises the flag. */
TEXT f32 best_of_block(const f32_word *p, u32 least) {
    f32 m = p[0];
#pragma GCC unroll 4
    for (u32 k = 0; k < BLOCK; k += 2) {
        f32 x = p[k], y = p[k + 1];
        __asm__ volatile(COMPARE : : FLOAT(x), FLOAT(y));
        m = better_of(k == 0 ? x : better_of(m, x, least), y, least);
    }
    return m;
}

/* First the block with the best number, or the first that has a NaN, then the place in it. The last block ends
 * with the line: the one before may have some of its elements, which then are no better. */
TEXT void place_of_float(u32 from, u32 how, base_ptr base, u32 least) {
    line_ptr line = line_at(how, base);
    const f32_word *first = (const f32_word *)(const void *)(base + from - BASE_BIAS);
    const f32_word *last = first + (i32)line->n - BLOCK, *p = first, *at = first;
    f32 best = from_bits(least ? INFINITY_BITS : INFINITY_BITS | SIGN_BIT);
    u32 blocks = (line->n + BLOCK - 1) / BLOCK, left = blocks;
    u32 invalid = 0; /* INVALID for each block from the first NaN on */
    lower_flags();
    do {
        MARK("block");
        f32 m = best_of_block(p, least);
        invalid += raised_flags();
#if defined(__riscv)
        uintptr_t take = least ? HOLDS("flt", m, best) : HOLDS("flt", best, m);
        MOVE_UNLESS("beqz %1, 4f", at, take, p);
        best = better_of(best, m, least);
        p += BLOCK;
        MOVE_UNLESS("bgeu %1, %0, 4f", p, last, last);
#else
        if (least)
            BETTER_BLOCK("mi", best, at, m, p);
        else
            BETTER_BLOCK("gt", best, at, m, p);
        p += BLOCK;
        p = p > last ? last : p;
#endif
    } while (--left != 0);
    MARK("end");
    if (invalid != 0) {
        at = first + (blocks - invalid / INVALID) * BLOCK;
        if (at > last) at = last;
    }
#if defined(__riscv)
    /* As many elements as come before the first NaN, or the first one that is the best. */
    u32 before = 0;
    if (invalid != 0) {
        u32 passed = 1;
#pragma GCC unroll 8
        for (u32 k = 0; k < BLOCK; k++) {
            f32 x = at[k];
            passed &= (u32)HOLDS("feq", x, x);
            before += passed;
        }
    } else {
        u32 found = 0;
#pragma GCC unroll 8
        for (u32 k = 0; k < BLOCK; k++) {
            f32 x = at[k];
            found |= (u32)HOLDS("feq", x, best);
            before += found;
        }
        before = BLOCK - before;
    }
    line->place = (u32)(at - first) + before;
#else
    const f32_word *q = at + BLOCK, *place = at, *nan = at;
#pragma GCC unroll 1
    do { /* from behind, so that of equal ones the first stays */
        MARK("rest");
        f32 x = *--q;
        FIND(place, nan, x, best, q);
    } while (q != at);
    MARK("found");
    line->place = (u32)((invalid ? nan : place) - first);
#endif
}

#elif defined(__ARM_FP)

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
