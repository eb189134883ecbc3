/* Stencils on doubles, for architectures that have them in hardware ("doubles" in the
 * architecture's file). Each does what the stencil on f32 of the same name does. */
#include "double.h"
#include "round64.h"

TEXT f64 mov_f64(f64 a) { return a; }
TEXT f64 ld_f64(base_ptr base, uintptr_t offset) { return *(const f64_words *)(base + offset); }
TEXT void st_f64(base_ptr base, uintptr_t offset, f64 a) { *(f64_words *)(base + offset) = a; }

TEXT f64 add_f64(f64 a, f64 b) { return a + b; }
TEXT f64 sub_f64(f64 a, f64 b) { return a - b; }
TEXT f64 mul_f64(f64 a, f64 b) { return a * b; }
TEXT f64 div_f64(f64 a, f64 b) { return a / b; }
TEXT f64 sqrt_f64(f64 a) { return __builtin_sqrt(a); }

TEXT u32 lt_f64(f64 a, f64 b) { return a < b; }
TEXT u32 le_f64(f64 a, f64 b) { return a <= b; }
TEXT u32 gt_f64(f64 a, f64 b) { return a > b; }
TEXT u32 ge_f64(f64 a, f64 b) { return a >= b; }
TEXT u32 eq_f64(f64 a, f64 b) { return a == b; }
TEXT u32 ne_f64(f64 a, f64 b) { return a != b; }

TEXT u32 isnan_f64(f64 a) { return (bits64(a) & MAGNITUDE64) > INFINITY_BITS64; }
TEXT u32 isfinite_f64(f64 a) { return (bits64(a) & MAGNITUDE64) < INFINITY_BITS64; }
TEXT u32 to_bool_f64(f64 a) { return (bits64(a) & MAGNITUDE64) != 0; }
TEXT f64 to_f64_i32(u32 a) { return (f64)(i32)a; }

#if defined(__x86_64__)

#define LDX_F64(d, index, offset) __asm__("movsd cf_hole(%%rbx, %q1), %0" : "=x"(d) : "r"(index) : "memory")
#define STX_F64(a, index, offset) __asm__ volatile("movsd %0, cf_hole(%%rbx, %q1)" : : "x"(a), "r"(index) : "memory")

/* An f32 operand is the low half of the register; the C type of all of them is f64 here. */
#define TO_F64_F32(d, a) __asm__("cvtss2sd %1, %0" : "=x"(d) : "x"(a))
#define TO_F32_F64(d, a) __asm__("cvtsd2ss %1, %0" : "=x"(d) : "x"(a))

#define SCRATCH64(name, machine) register f64 name __asm__(machine)

TEXT f64 neg_f64(f64 a) {
    SCRATCH64(r, "xmm15");
    __asm__("pcmpeqd %0, %0\n\tpsllq $63, %0\n\txorps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f64 abs_f64(f64 a) {
    SCRATCH64(r, "xmm15");
    __asm__("pcmpeqd %0, %0\n\tpsrlq $1, %0\n\tandps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f64 min_f64(f64 a, f64 b) {
    SCRATCH64(s, "xmm15");
    __asm__("movaps %2, %1\n\tminsd %0, %1\n\tminsd %2, %0\n\torps %1, %0" : "+x"(a), "=&x"(s) : "x"(b));
    return a;
}

TEXT f64 max_f64(f64 a, f64 b) {
    SCRATCH64(s, "xmm15");
    __asm__("movaps %2, %1\n\tmaxsd %0, %1\n\tmaxsd %2, %0\n\t"
            "xorps %1, %0\n\torps %0, %1\n\tsubsd %0, %1\n\tmovaps %1, %0"
            : "+x"(a), "=&x"(s)
            : "x"(b));
    return a;
}

TEXT f64 select_f64(u32 cond, f64 a, f64 b) {
    u64 r;
    __asm__("movq %2, %0\n\tmovq %3, %%rcx\n\ttestl %1, %1\n\tcmovzq %%rcx, %0"
            : "=&a"(r)
            : "r"(cond), "x"(a), "x"(b)
            : "rcx", "cc");
    return from_bits64(r);
}

/* Toward zero, saturating, NaN gives 0. The instruction gives MIN for everything out of
 * range; mended is what is not below. */
#define TO_I32_F64(d, a) d = to_i32_f64(a)
TEXT u32 to_i32_f64(f64 a) {
    u64 u = bits64(a);
    u32 r;
    __asm__("cvttsd2si %1, %0" : "=r"(r) : "x"(a));
    r = (i64)u >= 0x41e0000000000000 ? MAGNITUDE : r; /* 2^31 and more */
    return (u & MAGNITUDE64) > INFINITY_BITS64 ? 0u : r;
}

#elif defined(__aarch64__)

#define LDX_F64(d, index, offset) d = ld_f64(indexed(base, index), offset)
#define STX_F64(a, index, offset) st_f64(indexed(base, index), offset, a)

#define TO_F64_F32(d, a) __asm__("fcvt %d0, %s1" : "=w"(d) : "w"(a))
#define TO_F32_F64(d, a) __asm__("fcvt %s0, %d1" : "=w"(d) : "w"(a))
#define TO_I32_F64(d, a) __asm__("fcvtzs %w0, %d1" : "=r"(d) : "w"(a))

TEXT f64 neg_f64(f64 a) { return -a; }
TEXT f64 abs_f64(f64 a) { return __builtin_fabs(a); }

TEXT f64 min_f64(f64 a, f64 b) {
    f64 r;
    __asm__("fmin %d0, %d1, %d2" : "=w"(r) : "w"(a), "w"(b));
    return r;
}

TEXT f64 max_f64(f64 a, f64 b) {
    f64 r;
    __asm__("fmax %d0, %d1, %d2" : "=w"(r) : "w"(a), "w"(b));
    return r;
}

TEXT f64 select_f64(u32 cond, f64 a, f64 b) { return cond ? a : b; }

#else
#error "double.c: what this architecture names in instructions of its own"
#endif

/* 1 with the sign of a, but a itself where it is zero or NaN. */
TEXT f64 sign_f64(f64 a) {
    u64 u = bits64(a);
    u64 ordered_nonzero = (u & MAGNITUDE64) - 1u < INFINITY_BITS64;
    return ordered_nonzero ? from_bits64((u & SIGN_BIT64) | ONE_BITS64) : a;
}
