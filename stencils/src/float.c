/* Float arithmetic. Where the portable C form is exact but slow on a target, the
 * target's own instructions are named; the self-test holds all of them to one meaning. */
#include "round.h"
#include "stencil.h"

TEXT f32 add_f32(f32 a, f32 b) { return a + b; }
TEXT f32 sub_f32(f32 a, f32 b) { return a - b; }
TEXT f32 mul_f32(f32 a, f32 b) { return a * b; }
TEXT f32 div_f32(f32 a, f32 b) { return a / b; }
TEXT f32 sqrt_f32(f32 a) { return __builtin_sqrtf(a); }

#if defined(__x86_64__)

/* The instructions are named together with their scratch registers: GCC would choose
 * those differently from one operand combination to the next. Constants are made in a
 * register: those of GCC would live in memory that belongs to no stencil. */
#define SCRATCH(name, machine) register f32 name __asm__(machine)

TEXT f32 neg_f32(f32 a) {
    SCRATCH(r, "xmm15");
    __asm__("pcmpeqd %0, %0\n\tpslld $31, %0\n\txorps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f32 abs_f32(f32 a) {
    SCRATCH(r, "xmm15");
    __asm__("pcmpeqd %0, %0\n\tpsrld $1, %0\n\tandps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

/* minss gives its second operand for a NaN and for zeros of both signs. Taken both
 * ways round and ORed: a NaN stays one, a -0 wins, all else is equal. */
TEXT f32 min_f32(f32 a, f32 b) {
    SCRATCH(s, "xmm15");
    __asm__("movaps %2, %1\n\tminss %0, %1\n\tminss %2, %0\n\torps %1, %0" : "+x"(a), "=&x"(s) : "x"(b));
    return a;
}

/* The two ways round differ only for a NaN (difference and sum of bits keep it one) and
 * for zeros of both signs (both become -0, and -0 - -0 = +0). */
TEXT f32 max_f32(f32 a, f32 b) {
    SCRATCH(s, "xmm15");
    __asm__("movaps %2, %1\n\tmaxss %0, %1\n\tmaxss %2, %0\n\t"
            "xorps %1, %0\n\torps %0, %1\n\tsubss %0, %1\n\tmovaps %1, %0"
            : "+x"(a), "=&x"(s)
            : "x"(b));
    return a;
}

TEXT f32 floor_f32(f32 a) { return round_floor(a); }
TEXT f32 trunc_f32(f32 a) { return round_trunc(a); }
TEXT f32 ceil_f32(f32 a) { return round_ceil(a); }
TEXT f32 round_f32(f32 a) { return round_nearest(a); }

#elif defined(__aarch64__)

TEXT f32 neg_f32(f32 a) { return -a; }
TEXT f32 abs_f32(f32 a) { return __builtin_fabsf(a); }

/* fmin and fmax propagate NaN and order the zeros; C's fminf does neither. */
TEXT f32 min_f32(f32 a, f32 b) {
    f32 r;
    __asm__("fmin %s0, %s1, %s2" : "=w"(r) : "w"(a), "w"(b));
    return r;
}

TEXT f32 max_f32(f32 a, f32 b) {
    f32 r;
    __asm__("fmax %s0, %s1, %s2" : "=w"(r) : "w"(a), "w"(b));
    return r;
}

TEXT f32 floor_f32(f32 a) { return __builtin_floorf(a); }
TEXT f32 trunc_f32(f32 a) { return __builtin_truncf(a); }
TEXT f32 ceil_f32(f32 a) { return __builtin_ceilf(a); }

TEXT f32 round_f32(f32 a) {
    f32 r;
    __asm__("frintn %s0, %s1" : "=w"(r) : "w"(a));
    return r;
}

#else
#error "float.c: no min, max, neg, abs, floor, trunc, ceil, round for this architecture"
#endif

/* 1 with the sign of a, but a itself where it is zero or NaN. */
TEXT f32 sign_f32(f32 a) {
    u32 u = bits(a);
    u32 ordered_nonzero = (u & MAGNITUDE) - 1u < INFINITY_BITS;
    return ordered_nonzero ? from_bits((u & SIGN_BIT) | ONE_BITS) : a;
}
