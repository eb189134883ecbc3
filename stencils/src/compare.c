/* Comparisons give 1 or 0 in an integer register; select takes one. */
#include "stencil.h"

TEXT u32 lt_f32(f32 a, f32 b) { return a < b; }
TEXT u32 le_f32(f32 a, f32 b) { return a <= b; }
TEXT u32 gt_f32(f32 a, f32 b) { return a > b; }
TEXT u32 ge_f32(f32 a, f32 b) { return a >= b; }
TEXT u32 eq_f32(f32 a, f32 b) { return a == b; }
TEXT u32 ne_f32(f32 a, f32 b) { return a != b; }

TEXT u32 isnan_f32(f32 a) { return (bits(a) & MAGNITUDE) > INFINITY_BITS; }
TEXT u32 isfinite_f32(f32 a) { return (bits(a) & MAGNITUDE) < INFINITY_BITS; }

TEXT u32 lt_i32(u32 a, u32 b) { return (i32)a < (i32)b; }
TEXT u32 le_i32(u32 a, u32 b) { return (i32)a <= (i32)b; }
TEXT u32 gt_i32(u32 a, u32 b) { return (i32)a > (i32)b; }
TEXT u32 ge_i32(u32 a, u32 b) { return (i32)a >= (i32)b; }
TEXT u32 eq_i32(u32 a, u32 b) { return a == b; }
TEXT u32 ne_i32(u32 a, u32 b) { return a != b; }

/* The conditional expression is a conditional move, not a branch. Where that move
 * overwrites an operand, a copy keeps the code the same whichever operands share a
 * register. */
TEXT u32 select_i32(u32 cond, u32 a, u32 b) {
    u32 r = a;
#if defined(__x86_64__)
    __asm__("" : "+r"(r));
#endif
    return cond ? r : b;
}

#if defined(__x86_64__)
/* A conditional move between general registers; GCC would branch. */
TEXT f32 select_f32(u32 cond, f32 a, f32 b) {
    u32 r;
    __asm__("movd %2, %0\n\tmovd %3, %%ecx\n\ttestl %1, %1\n\tcmovzl %%ecx, %0"
            : "=&a"(r)
            : "r"(cond), "x"(a), "x"(b)
            : "rcx", "cc");
    return from_bits(r);
}
#else
TEXT f32 select_f32(u32 cond, f32 a, f32 b) { return cond ? a : b; }
#endif
