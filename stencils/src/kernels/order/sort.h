/* Sorting in the data block: short runs by insertion, then merges of two runs of one length
 * from both ends, whose time does not depend on the numbers. Equal elements keep their order,
 * -0 equals +0, and NaNs come last. Only insertion depends on the data: the compiler knows how
 * often each mark is passed at most (compiler/internal/lir/sort.go). A short line is one run: a kernel
 * that only inserts takes a quarter of the code. */
//@ kernel insertints i32 =II: sort_few(a, b, base, 0)
//@ kernel insertfloats i32 =II: sort_few(a, b, base, 1)
//@ kernel sortints i32 =II: sort_numbers(a, b, base, 0)
//@ kernel sortfloats i32 =II: sort_numbers(a, b, base, 1)
//@ kernel orderints i32 =II: sort_places(a, b, base, 0)
//@ kernel orderfloats i32 =II: sort_places(a, b, base, 1)
#ifndef CF_ORDER_SORT_H
#define CF_ORDER_SORT_H

#include "../../stencil.h"

#define NAN_BITS 0x7fc00000u
#define LARGEST 0x7fffffffu

/* Each way through a loop passes a mark: the builder adds up the instructions between marks. */
#define MARK(name) __asm__ volatile("cf_mark_" name "_%=:" : :)

/* An integer in the order of the floats, -0 below +0, and one for all NaNs; and back. */
TEXT u32 float_key(u32 x) {
    u32 key = x ^ (u32)((i32)x >> 31) >> 1;
    return x << 1 > INFINITY_BITS << 1 ? NAN_BITS : key;
}
TEXT u32 float_of(u32 key) { return key ^ (u32)((i32)key >> 31) >> 1; }

/* What the compiler has prepared for a line: word offsets in bytes. */
struct sorting {
    u32 from;   /* offset of the elements */
    u32 n;      /* number of them, at least 1 */
    u32 run;    /* elements that insertion sorts at once */
    u32 passes; /* merges make run << passes elements of it, which is at least n */
};
typedef const struct sorting __attribute__((may_alias)) *sorting_ptr;

/* How the elements that are moved compare: themselves, or the numbers at these places. floats:
 * keys of which that of -0 is one less than that of +0, and equals it. */
struct rule {
    const u32_word *at;
    u32 floats;
};
TEXT i32 number(u32 element, struct rule r) { return (i32)(r.at ? r.at[element] : element); }
TEXT i32 limit(u32 element, struct rule r) {
    i32 key = number(element, r);
    return r.floats ? key + (key == -1) : key;
}

/* Merges runs of run elements, whole in all, of a into b. */
TEXT void merge(const u32_word *a, u32_word *b, u32 run, u32 whole, struct rule r) {
    const u32_word *end = a + whole;
    do {
        MARK("merge");
        const u32_word *p = a, *q = a + run, *p_last = q - 1, *q_last = q + run - 1;
        u32_word *to = b, *to_last = b + 2 * run - 1;
        do {
            MARK("step");
            u32 x = *p, y = *q, right = number(x, r) > limit(y, r);
            *to++ = right ? y : x;
            q += right;
            p += right ^ 1u;
            x = *p_last;
            y = *q_last;
            right = number(x, r) <= limit(y, r);
            *to_last-- = right ? y : x;
            q_last -= right;
            p_last -= right ^ 1u;
        } while (to < to_last);
        MARK("merged");
        a += 2 * run;
        b += 2 * run;
    } while (a < end);
}

/* A run from first to end of the elements of from, the first of them at a place of its line. */
TEXT void insert(const u32_word *from, u32_word *first, const u32_word *end, u32 place, struct rule r) {
    u32_word *k = first;
    do {
        MARK("element");
        u32 x = r.at ? place : r.floats ? float_key(*from) : *from;
        i32 most = limit(x, r);
        u32_word *hole = k;
        while (hole != first && number(hole[-1], r) > most) {
            MARK("shift");
            *hole = hole[-1];
            hole--;
        }
        MARK("found");
        *hole = x;
        from++;
        place++;
    } while (++k != end);
}

/* Keys back to floats. */
TEXT void back(u32_word *k, const u32_word *end) {
    do {
        MARK("back");
        *k = float_of(*k);
    } while (++k != end);
}

/* A short line in order, at the offset to. */
TEXT void sort_few(u32 to, u32 how, base_ptr base, u32 floats) {
    sorting_ptr s = (sorting_ptr)(const void *)(base + how - BASE_BIAS);
    u32_word *line = (u32_word *)(void *)(base + to - BASE_BIAS);
    const u32_word *end = line + s->n;
    insert((const u32_word *)(const void *)(base + s->from - BASE_BIAS), line, end, 0, (struct rule){0, floats});
    if (floats) back(line, end);
}

/* Where a line is made: in a buffer of its own after an odd number of passes, which end at to. */
TEXT void sort(const u32_word *from, u32_word *to, u32_word *other, u32 n, u32 run, u32 passes, struct rule r) {
    u32 whole = run << passes;
    if (passes & 1u) {
        u32_word *t = to;
        to = other;
        other = t;
    }
    for (u32 i = 0; i < n; i += run) {
        MARK("run");
        insert(from + i, to + i, to + (i + run < n ? i + run : n), i, r);
        MARK("sorted");
    }
    for (u32 i = n; i < whole; i++) {
        MARK("rest");
        to[i] = r.at ? i : LARGEST;
    }
    for (; run < whole; run *= 2) {
        MARK("pass");
        merge(to, other, run, whole, r);
        u32_word *t = to;
        to = other;
        other = t;
    }
}

/* The numbers of a line in order, at the offset to. Behind the description lies a buffer. */
TEXT void sort_numbers(u32 to, u32 how, base_ptr base, u32 floats) {
    sorting_ptr s = (sorting_ptr)(const void *)(base + how - BASE_BIAS);
    u32_word *line = (u32_word *)(void *)(base + to - BASE_BIAS);
    u32_word *other = (u32_word *)(void *)(base + how - BASE_BIAS + sizeof *s);
    sort((const u32_word *)(const void *)(base + s->from - BASE_BIAS), line, other, s->n, s->run, s->passes, (struct rule){0, floats});
    if (floats) back(line, line + s->n);
}

/* The places of a line's numbers in their order. Behind the buffer lie the keys. */
TEXT void sort_places(u32 to, u32 how, base_ptr base, u32 floats) {
    sorting_ptr s = (sorting_ptr)(const void *)(base + how - BASE_BIAS);
    const u32_word *from = (const u32_word *)(const void *)(base + s->from - BASE_BIAS);
    u32_word *other = (u32_word *)(void *)(base + how - BASE_BIAS + sizeof *s);
    u32 n = s->n, whole = s->run << s->passes;
    u32_word *keys = other + whole;
    for (u32 i = 0; i < whole; i++) {
        MARK("back");
        u32 x = i < n ? from[i] : LARGEST;
        if (floats && i < n) {
            x = float_key(x);
            x += x == ~0u;
        }
        keys[i] = x;
    }
    sort(from, (u32_word *)(void *)(base + to - BASE_BIAS), other, n, s->run, s->passes, (struct rule){keys, 0});
}

#endif
