/* Stencils on doubles, for architectures that have them in hardware ("doubles" in the
 * architecture's file). Each does what the stencil on f32 of the same name does. */
//@ mov f64 D=D
//@ ld f64 D= offset: D = ld_f64(base, OFF) // far: LD_F64_FAR(D)
//@ st f64 =D offset: st_f64(base, OFF, A) // far: ST_F64_FAR(A)
//@ ldx f64 D=I index: LDX_F64(D, A, OFF) // far: LDX_F64(D, A, hole32())
//@ stx f64 =DI index: STX_F64(A, B, OFF) // far: STX_F64(A, B, hole32())
//@ add sub mul div f64 D=DD tied memory
//@ min max f64 D=DD tied
//@ atmost f64 D=DD tied memory jumps: ATMOST_F64(D, A, B)
//@ atleast f64 D=DD tied memory jumps: ATLEAST_F64(D, A, B)
//@ neg abs sign sqrt floor trunc ceil round f64 D=D
//@ floor trunc ceil round f64 D=D needs sse41
//@ lt le gt ge eq ne f64 I=DD memory
//@ isnan isfinite f64 I=D
//@ select f64 D=IDD jumps: SELECT_F64(D, A, B, C)
//@ test f64 =DD needs tests: TEST_F64(A, B)
//@ pickgt f64 D=DD needs tests: PICK_F64("gt", "le", D, A, B)
//@ pickge f64 D=DD needs tests: PICK_F64("ge", "lt", D, A, B)
//@ pickeq f64 D=DD needs tests: PICK_F64("eq", "ne", D, A, B)
//@ to_i32 f64 I=D: TO_I32_F64(D, A)
//@ to_bool f64 I=D
//@ to_f64 i32 bool D=I
//@ to_f64 f32 D=F: TO_F64_F32(D, A)
//@ to_f32 f64 F=D: TO_F32_F64(D, A)
#include "double.h"
#include "pick.h"
#include "round64.h"

TEXT f64 mov_f64(f64 a) { return a; }
TEXT f64 ld_f64(base_ptr base, uintptr_t offset) { return *(const f64_words *)(base + offset - BASE_BIAS); }
TEXT void st_f64(base_ptr base, uintptr_t offset, f64 a) { *(f64_words *)(base + offset - BASE_BIAS) = a; }

/* At an offset that is a 32-bit immediate, as in machine.c. */
#if defined(__riscv)
#define LD_F64_FAR(d) __asm__ volatile("fld %0, %%lo(cf_hole - 2048)(%1)" : "=f"(d) : "r"(upper(base)) : "memory")
#define ST_F64_FAR(a) __asm__ volatile("fsd %0, %%lo(cf_hole - 2048)(%1)" : : "f"(a), "r"(upper(base)) : "memory")
#else
#define LD_F64_FAR(d) d = ld_f64(base, hole32())
#define ST_F64_FAR(a) st_f64(base, hole32(), a)
#endif

TEXT f64 add_f64(f64 a, f64 b) { return a + b; }
TEXT f64 sub_f64(f64 a, f64 b) { return a - b; }
TEXT f64 mul_f64(f64 a, f64 b) { return a * b; }
TEXT f64 div_f64(f64 a, f64 b) { return a / b; }
TEXT f64 sqrt_f64(f64 a) { return __builtin_sqrt(a); }

TEXT u32 lt_f64(f64 a, f64 b) { return truth(a < b); }
TEXT u32 le_f64(f64 a, f64 b) { return truth(a <= b); }
TEXT u32 gt_f64(f64 a, f64 b) { return truth(a > b); }
TEXT u32 ge_f64(f64 a, f64 b) { return truth(a >= b); }
TEXT u32 eq_f64(f64 a, f64 b) { return truth(a == b); }
TEXT u32 ne_f64(f64 a, f64 b) { return truth(a != b); }

TEXT f64 to_f64_i32(u32 a) { return (f64)(i32)a; }

#if defined(X86)

#define LDX_F64(d, index, offset) __asm__("movsd cf_hole(" BASE ", " INDEX "1), %0" : "=x"(d) : "r"(index) : "memory")
#define STX_F64(a, index, offset) __asm__ volatile("movsd %0, cf_hole(" BASE ", " INDEX "1)" : : "x"(a), "r"(index) : "memory")

/* An f32 operand is the low half of the register; the C type of all of them is f64 here. */
#define TO_F64_F32(d, a) __asm__("cvtss2sd %1, %0" : "=x"(d) : "x"(a))
#define TO_F32_F64(d, a) __asm__("cvtsd2ss %1, %0" : "=x"(d) : "x"(a))

#define SCRATCH64(name) register f64 name __asm__(SCRATCH_XMM)

TEXT f64 neg_f64(f64 a) {
    SCRATCH64(r);
    __asm__("pcmpeqd %0, %0\n\tpsllq $63, %0\n\txorps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f64 abs_f64(f64 a) {
    SCRATCH64(r);
    __asm__("pcmpeqd %0, %0\n\tpsrlq $1, %0\n\tandps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f64 min_f64(f64 a, f64 b) {
    SCRATCH64(s);
    __asm__("movaps %2, %1\n\tminsd %0, %1\n\tminsd %2, %0\n\torps %1, %0" : "+x"(a), "=&x"(s) : "x"(b));
    return a;
}

TEXT f64 max_f64(f64 a, f64 b) {
    SCRATCH64(s);
    __asm__("movaps %2, %1\n\tmaxsd %0, %1\n\tmaxsd %2, %0\n\t"
            "xorps %1, %0\n\torps %0, %1\n\tsubsd %0, %1\n\tmovaps %1, %0"
            : "+x"(a), "=&x"(s)
            : "x"(b));
    return a;
}

#if defined(__x86_64__)

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

#else

/* By a mask: -cond in all words. A statement rather than a function, as both registers that
 * GCC has are taken: a copy of an operand would go by way of the stack. */
#define select_f64(cond, a, b)                                                                        \
    ({                                                                                                \
        register f64 r __asm__("xmm6");                                                               \
        __asm__("movl %1, %%eax\n\tnegl %%eax\n\tmovd %%eax, %%xmm7\n\tpshufd $0, %%xmm7, %%xmm7\n\t" \
                "movaps %2, %0\n\tpand %%xmm7, %0\n\tpandn %3, %%xmm7\n\tpor %%xmm7, %0"              \
                : "=&x"(r)                                                                            \
                : "r"(cond), "x"(a), "x"(b)                                                           \
                : "eax", "xmm7", "cc");                                                               \
        r;                                                                                            \
    })

#define TO_I32_F64(d, a)                                                                   \
    do {                                                                                   \
        register f64 wide __asm__("xmm6"), least __asm__("xmm7");                          \
        __asm__("movaps %3, %1\n\t" TO_I32_OF_1                                            \
                : "=&r"(d), "=&x"(wide), "=&x"(least) : "x"(a) : "eax", "cc");             \
    } while (0)

#endif

#elif defined(__aarch64__)

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

#elif defined(__riscv_flen)

/* An f32 in a register of 64 bits has ones above it, which the conversions want and make. */
#define TO_F64_F32(d, a) __asm__("fcvt.d.s %0, %1" : "=f"(d) : "f"(a))
#define TO_F32_F64(d, a) __asm__("fcvt.s.d %0, %1" : "=f"(d) : "f"(a))
#define TO_I32_F64(d, a) d = to_i32_f64(a)

/* Saturates; NaN is to be made 0. */
TEXT u32 to_i32_f64(f64 a) {
    i32 i;
    __asm__("fcvt.w.d %0, %1, rtz" : "=r"(i) : "f"(a));
    return (u32)i & (0u - (u32)(a == a));
}

TEXT f64 neg_f64(f64 a) { return -a; }
TEXT f64 abs_f64(f64 a) { return __builtin_fabs(a); }

TEXT f64 min_f64(f64 a, f64 b) {
    f64 r;
    LEAST_OR_GREATEST("fmin", "d", "d", r, a, b);
    return r;
}

TEXT f64 max_f64(f64 a, f64 b) {
    f64 r;
    LEAST_OR_GREATEST("fmax", "d", "d", r, a, b);
    return r;
}

#elif defined(__arm__)

/* Integers on their way in s31, in which no stencil has an operand. */
#define TO_I32_F64(d, a) /* saturates, and makes 0 of NaN */                              \
    do {                                                                                  \
        register f32 r __asm__("s31");                                                    \
        __asm__("vcvt.s32.f64 %1, %P2\n\tvmov %0, %1" : "=r"(d), "=&t"(r) : "w"(a));      \
    } while (0)
#define TO_F64_F32(d, a) __asm__("vcvt.f64.f32 %P0, %1" : "=w"(d) : "t"(a))
#define TO_F32_F64(d, a) __asm__("vcvt.f32.f64 %0, %P1" : "=t"(d) : "w"(a))

TEXT f64 neg_f64(f64 a) { return -a; }
TEXT f64 abs_f64(f64 a) { return __builtin_fabs(a); }

#if ROUNDING_INSTRUCTIONS

/* As UNLESS_NAN of float.c. */
#define UNLESS_NAN64(insn, r, a, b)                                                       \
    do {                                                                                  \
        register f64 nan __asm__("d15");                                                  \
        __asm__("vadd.f64 %P1, %P2, %P3\n\tvcmp.f64 %P2, %P3\n\tvmrs APSR_nzcv, fpscr\n\t" \
                insn " %P0, %P2, %P3\n\tit vs\n\tvmovvs.f64 %P0, %P1"                     \
                : "=w"(r), "=&w"(nan)                                                     \
                : "w"(a), "w"(b)                                                          \
                : "cc");                                                                  \
    } while (0)

TEXT f64 min_f64(f64 a, f64 b) {
    f64 r;
    UNLESS_NAN64("vminnm.f64", r, a, b);
    return r;
}

TEXT f64 max_f64(f64 a, f64 b) {
    f64 r;
    UNLESS_NAN64("vmaxnm.f64", r, a, b);
    return r;
}

#else

/* As ORDERED of float.c: the words of a in r0 and r1, those of b in r2 and r3. */
#define ORDERED64(choice, r, a, b)                                                              \
    __asm__("vcmp.f64 %P1, %P2\n\tvmov r0, r1, %P1\n\tvmov r2, r3, %P2\n\tvmrs APSR_nzcv, fpscr\n\t" \
            choice "vmov %P0, r0, r1"                                                           \
            : "=w"(r)                                                                           \
            : "w"(a), "w"(b)                                                                    \
            : "r0", "r1", "r2", "r3", "cc")
#define BOTH_WORDS(insn) insn " r0, r0, r2\n\t" insn " r1, r1, r3\n\t"
#define OTHER(when) "mov" when " r0, r2\n\tmov" when " r1, r3\n\t"

TEXT f64 min_f64(f64 a, f64 b) {
    f64 r;
    ORDERED64(BOTH_WORDS("orrpl") OTHER("gt"), r, a, b); /* pl: equal, greater or unordered */
    return r;
}

TEXT f64 max_f64(f64 a, f64 b) {
    f64 r;
    ORDERED64(BOTH_WORDS("andeq") BOTH_WORDS("orrvs") OTHER("mi"), r, a, b);
    return r;
}

#endif

TEXT f64 select_f64(u32 cond, f64 a, f64 b) { return cond ? a : b; }

#else
#error "double.c: what this architecture names in instructions of its own"
#endif

#if defined(__arm__) || defined(__i386__)

/* By float instructions: masks of 64 bits take all registers of GCC, or a literal pool. */
TEXT u32 isnan_f64(f64 a) { return truth(a != a); }
TEXT u32 isfinite_f64(f64 a) { return truth(a - a == 0); }
TEXT u32 to_bool_f64(f64 a) { return truth(a != 0); }

#else

TEXT u32 isnan_f64(f64 a) { return (bits64(a) & MAGNITUDE64) > INFINITY_BITS64; }
TEXT u32 isfinite_f64(f64 a) { return (bits64(a) & MAGNITUDE64) < INFINITY_BITS64; }
TEXT u32 to_bool_f64(f64 a) { return (bits64(a) & MAGNITUDE64) != 0; }

#endif

/* 1 with the sign of a, but a itself where it is zero or NaN. */
#if defined(__arm__)
/* The words of a in r2 and r3, those of 1 or -1 in their place where it is ordered and not 0. */
TEXT f64 sign_f64(f64 a) {
    f64 r;
    __asm__("vmov r2, r3, %P1\n\tvcmp.f64 %P1, #0\n\tvmrs APSR_nzcv, fpscr\n\t"
            "ittt mi\n\tmovmi r2, #0\n\tmovmi r3, #0xbf000000\n\torrmi r3, r3, #0xf00000\n\t"
            "ittt gt\n\tmovgt r2, #0\n\tmovgt r3, #0x3f000000\n\torrgt r3, r3, #0xf00000\n\t"
            "vmov %P0, r2, r3"
            : "=w"(r)
            : "w"(a)
            : "r2", "r3", "cc");
    return r;
}
#elif defined(__i386__)
SSE2_FUNCTION(sign_f64, f64, SSE2_F64(SSE2_UNIT, "0x3ff00000"))
#else
TEXT f64 sign_f64(f64 a) {
    u64 u = bits64(a);
    u32 ordered_nonzero = (u & MAGNITUDE64) - 1u < INFINITY_BITS64;
    return pick_f64(ordered_nonzero, from_bits64((u & SIGN_BIT64) | ONE_BITS64), a);
}
#endif

#if !defined(LDX_F64)
#define LDX_F64(d, index, offset) d = ld_f64(indexed(base, index), offset)
#define STX_F64(a, index, offset) st_f64(indexed(base, index), offset, a)
#endif

/* As those on f32. */
#if defined(__aarch64__)
TEXT f64 atmost_f64(f64 a, f64 b) { return min_f64(a, b); }
TEXT f64 atleast_f64(f64 a, f64 b) { return max_f64(a, b); }
#elif !defined(__riscv)
TEXT f64 atmost_f64(f64 a, f64 b) { return a < b ? a : b; }
TEXT f64 atleast_f64(f64 a, f64 b) { return a > b ? a : b; }
#endif
