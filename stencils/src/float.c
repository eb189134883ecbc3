/* Float arithmetic. Where the portable C form is exact but slow on a target, the
 * target's own instructions are named; the self-test holds all of them to one meaning. */
//@ add sub mul div f32 F=FF tied memory // softfloat f32-{op}: SERVICE2(D, A, B, OFF)
//@ min max f32 F=FF tied // softfloat kernel
//@ atmost f32 F=FF tied memory jumps: ATMOST_F32(D, A, B) // softfloat none
//@ atleast f32 F=FF tied memory jumps: ATLEAST_F32(D, A, B) // softfloat none
//@ lesser greater f32 F=FF tied needs sse2
//@ maxnum f32 F=FF needs numbers: MAXNUM(D, A, B)
//@ minnum f32 F=FF needs numbers: MINNUM(D, A, B)
//@ absdiff f32 F=FF needs neon: ABSDIFF_F32(D, A, B)
//@ neg f32 F=F // softfloat: D = A ^ SIGN_BIT
//@ abs f32 F=F // softfloat: D = A & MAGNITUDE
//@ sign f32 F=F // softfloat: D = soft_sign(A)
//@ sqrt floor trunc ceil round f32 F=F // softfloat kernel
//@ floor trunc ceil round f32 F=F needs sse41
#include "pick.h"
#include "round.h"
#include "stencil.h"
#if defined(__i386__)
#include "round_sse2.h"
#endif

TEXT f32 add_f32(f32 a, f32 b) { return a + b; }
TEXT f32 sub_f32(f32 a, f32 b) { return a - b; }
TEXT f32 mul_f32(f32 a, f32 b) { return a * b; }
TEXT f32 div_f32(f32 a, f32 b) { return a / b; }
TEXT f32 sqrt_f32(f32 a) { return __builtin_sqrtf(a); }

#if defined(X86)

/* The instructions are named together with their scratch registers: GCC would choose
 * those differently from one operand combination to the next. Constants are made in a
 * register: those of GCC would live in memory that belongs to no stencil. */
#define SCRATCH(name) register f32 name __asm__(SCRATCH_XMM)

TEXT f32 neg_f32(f32 a) {
    SCRATCH(r);
    __asm__("pcmpeqd %0, %0\n\tpslld $31, %0\n\txorps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

TEXT f32 abs_f32(f32 a) {
    SCRATCH(r);
    __asm__("pcmpeqd %0, %0\n\tpsrld $1, %0\n\tandps %1, %0" : "=&x"(r) : "x"(a));
    return r;
}

/* minss gives its second operand for a NaN and for zeros of both signs. Taken both
 * ways round and ORed: a NaN stays one, a -0 wins, all else is equal. */
TEXT f32 min_f32(f32 a, f32 b) {
    SCRATCH(s);
    __asm__("movaps %2, %1\n\tminss %0, %1\n\tminss %2, %0\n\torps %1, %0" : "+x"(a), "=&x"(s) : "x"(b));
    return a;
}

/* The two ways round differ only for a NaN (difference and sum of bits keep it one) and
 * for zeros of both signs (both become -0, and -0 - -0 = +0). */
TEXT f32 max_f32(f32 a, f32 b) {
    SCRATCH(s);
    __asm__("movaps %2, %1\n\tmaxss %0, %1\n\tmaxss %2, %0\n\t"
            "xorps %1, %0\n\torps %0, %1\n\tsubss %0, %1\n\tmovaps %1, %0"
            : "+x"(a), "=&x"(s)
            : "x"(b));
    return a;
}

/* a where it is less or greater than b; b elsewhere, for zeros and NaNs too. */
TEXT f32 lesser_f32(f32 a, f32 b) {
    __asm__("minss %1, %0" : "+x"(a) : "x"(b));
    return a;
}

TEXT f32 greater_f32(f32 a, f32 b) {
    __asm__("maxss %1, %0" : "+x"(a) : "x"(b));
    return a;
}

#if defined(__SSE4_1__)
#define ROUNDING(name, mode)                                         \
    TEXT f32 name(f32 a) {                                           \
        f32 r;                                                       \
        __asm__("roundss " mode ", %1, %0" : "=x"(r) : "x"(a));    \
        return r;                                                    \
    }
ROUNDING(floor_f32, ROUND_DOWN)
ROUNDING(trunc_f32, ROUND_TO_ZERO)
ROUNDING(ceil_f32, ROUND_UP)
ROUNDING(round_f32, ROUND_TO_NEAREST)
#elif defined(__i386__)
#define WHOLE "0x4b000000" /* 2^23 */
SSE2_FUNCTION(floor_f32, f32, SSE2_F32(SSE2_FLOOR, WHOLE))
SSE2_FUNCTION(trunc_f32, f32, SSE2_F32(SSE2_TRUNC, WHOLE))
SSE2_FUNCTION(ceil_f32, f32, SSE2_F32(SSE2_CEIL, WHOLE))
SSE2_FUNCTION(round_f32, f32, SSE2_F32(SSE2_ROUND, WHOLE))
#else
TEXT f32 floor_f32(f32 a) { return round_floor(a); }
TEXT f32 trunc_f32(f32 a) { return round_trunc(a); }
TEXT f32 ceil_f32(f32 a) { return round_ceil(a); }
TEXT f32 round_f32(f32 a) { return round_nearest(a); }
#endif

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

#elif defined(__riscv_flen)

TEXT f32 neg_f32(f32 a) { return -a; }
TEXT f32 abs_f32(f32 a) { return __builtin_fabsf(a); }

/* fmin and fmax order the zeros, but pass over a NaN: then all bits of the result are
 * set. Scratch registers are named as on x86_64, and for the same reason. The format is
 * that of the instructions, and that of the moves to and from general registers. */
#define LEAST_OR_GREATEST(insn, format, move, r, a, b)                                           \
    __asm__("feq." format " t0, %1, %1\n\tfeq." format " t1, %2, %2\n\t" insn "." format         \
            " ft10, %1, %2\n\tand t0, t0, t1\n\tfmv.x." move " t1, ft10\n\taddi t0, t0, -1\n\t" \
            "or t0, t0, t1\n\tfmv." move ".x %0, t0"                                            \
            : "=f"(r)                                                                            \
            : "f"(a), "f"(b)                                                                     \
            : "t0", "t1", "ft10")

TEXT f32 min_f32(f32 a, f32 b) {
    f32 r;
    LEAST_OR_GREATEST("fmin", "s", "w", r, a, b);
    return r;
}

TEXT f32 max_f32(f32 a, f32 b) {
    f32 r;
    LEAST_OR_GREATEST("fmax", "s", "w", r, a, b);
    return r;
}

/* To an integer in the mode, back, the sign of the argument for zeros; and the argument
 * itself, by masks, from an exponent on where every float is an integer. */
#if __riscv_xlen == 64
#define EXPONENT_OF_T1 "slli t2, t1, 33\n\tsrli t2, t2, 56\n\t"
#else
#define EXPONENT_OF_T1 "slli t2, t1, 1\n\tsrli t2, t2, 24\n\t"
#endif
#define ROUNDED(mode, r, a)                                                                     \
    __asm__("fcvt.w.s t0, %1, " mode "\n\tfmv.x.w t1, %1\n\tfcvt.s.w ft10, t0\n\t" EXPONENT_OF_T1 \
            "fsgnj.s ft10, ft10, %1\n\tsltiu t2, t2, 150\n\tfmv.x.w t0, ft10\n\tneg t2, t2\n\t"     \
            "xor t0, t0, t1\n\tand t0, t0, t2\n\txor t0, t0, t1\n\tfmv.w.x %0, t0"                \
            : "=f"(r)                                                                           \
            : "f"(a)                                                                            \
            : "t0", "t1", "t2", "ft10")

#define ROUNDING(name, mode) \
    TEXT f32 name(f32 a) {   \
        f32 r;               \
        ROUNDED(mode, r, a); \
        return r;            \
    }
ROUNDING(floor_f32, "rdn")
ROUNDING(trunc_f32, "rtz")
ROUNDING(ceil_f32, "rup")
ROUNDING(round_f32, "rne")

#elif defined(__arm__)

TEXT f32 neg_f32(f32 a) { return -a; }
TEXT f32 abs_f32(f32 a) { return __builtin_fabsf(a); }

/* FPv5, which comes with double precision on Cortex-M: it rounds to integers, and has a
 * minimum and a maximum. */
#define ROUNDING_INSTRUCTIONS ((__ARM_FP & 8) != 0 && __ARM_ARCH_PROFILE == 'M')

#if ROUNDING_INSTRUCTIONS

/* vminnm and vmaxnm order the zeros, but prefer numbers to NaNs, the sum of which is one. */
#define UNLESS_NAN(insn, r, a, b)                                                           \
    __asm__("vcmp.f32 %1, %2\n\tvmrs APSR_nzcv, fpscr\n\tbvc.n 4f\n\t"                      \
            "vadd.f32 %0, %1, %2\n\tb.n 5f\n4:\t" insn " %0, %1, %2\n5:"                     \
            : "=t"(r) : "t"(a), "t"(b) : "cc")

TEXT f32 min_f32(f32 a, f32 b) {
    f32 r;
    UNLESS_NAN("vminnm.f32", r, a, b);
    return r;
}

TEXT f32 max_f32(f32 a, f32 b) {
    f32 r;
    UNLESS_NAN("vmaxnm.f32", r, a, b);
    return r;
}

#elif __ARM_ARCH_PROFILE == 'M'

/* These cores branch in few cycles. For equal numbers the bits of both together are the answer,
 * which zeros of both signs need; all that are set in one of them are a NaN where one is. */
#define ORDERED(r, a, b, together, less, greater)                                                  \
    __asm__("vcmp.f32 %1, %2\n\tvmrs APSR_nzcv, fpscr\n\tbgt.n 5f\n\tbmi.n 4f\n\t"                     \
            "vmov r2, %1\n\tvmov r3, %2\n\t" together "\n\tvmov %0, r2\n\tb.n 6f\n"                      \
            "4:\tvmov.f32 %0, " less "\n\tb.n 6f\n5:\tvmov.f32 %0, " greater "\n6:"                  \
            : "=t"(r) : "t"(a), "t"(b) : "r2", "r3", "cc")

TEXT f32 min_f32(f32 a, f32 b) {
    f32 r;
    ORDERED(r, a, b, "orrs r2, r3", "%1", "%2");
    return r;
}

TEXT f32 max_f32(f32 a, f32 b) {
    f32 r;
    ORDERED(r, a, b, "ite vs\n\torrvs r2, r3\n\tandvc r2, r3", "%2", "%1");
    return r;
}

#else

/* By comparison in general registers: the flags are N for less, Z for equal, V for
 * unordered. The OR of the bits is the answer for equal numbers and, but for the
 * maximum of zeros of both signs, for zeros; and it is a NaN where one is. */
#define ORDERED(r, a, b, when_equal, less, greater)                            \
    __asm__("vcmp.f32 %3, %4\n\tvmov %1, %3\n\tvmov %2, %4\n\t"               \
            "vmrs APSR_nzcv, fpscr\n\torr" WIDE " %0, %1, %2\n\t" when_equal         \
            "it mi\n\tmovmi" WIDE " %0, " less "\n\tit gt\n\tmovgt" WIDE " %0, " greater \
            : "=&r"(r), "=&r"(x), "=&r"(y)                                     \
            : "t"(a), "t"(b)                                                   \
            : "cc")

TEXT f32 min_f32(f32 a, f32 b) {
    register u32 r __asm__("r2"), x __asm__("r3"), y __asm__("r12");
    ORDERED(r, a, b, "", "%1", "%2");
    return from_bits(r);
}

TEXT f32 max_f32(f32 a, f32 b) {
    register u32 r __asm__("r2"), x __asm__("r3"), y __asm__("r12");
    ORDERED(r, a, b, "it eq\n\tandeq" WIDE " %0, %1, %2\n\t", "%2", "%1");
    return from_bits(r);
}

#endif

#if ROUNDING_INSTRUCTIONS

TEXT f32 floor_f32(f32 a) { return __builtin_floorf(a); }
TEXT f32 trunc_f32(f32 a) { return __builtin_truncf(a); }
TEXT f32 ceil_f32(f32 a) { return __builtin_ceilf(a); }

TEXT f32 round_f32(f32 a) {
    f32 r;
    __asm__("vrintn.f32 %0, %1" : "=t"(r) : "t"(a));
    return r;
}

#else

TEXT f32 floor_f32(f32 a) { return round_floor(a); }
TEXT f32 trunc_f32(f32 a) { return round_trunc(a); }
TEXT f32 ceil_f32(f32 a) { return round_ceil(a); }
TEXT f32 round_f32(f32 a) { return round_nearest(a); }

#endif

#else
#error "float.c: no min, max, neg, abs, floor, trunc, ceil, round for this architecture"
#endif

/* The number b, but not above or not below the limit a, which is neither zero nor NaN, so
 * that a comparison does: a NaN is not beyond it and stays. A limit of zero leaves a zero
 * with some sign. */
#if defined(__riscv_flen)
/* By a branch around one move. The operands of the comparison that says that b is beyond a, for a in the register of the
 * result, for b there, and for none of them. */
#define LIMITED(format, in_a, in_b, apart, d, a, b)                                                                         \
    do {                                                                                                                    \
        if (SAME(d, a))                                                                                                     \
            __asm__("flt." format " t0, " in_a "\n\t" SKIP_UNLESS_ZERO("t0") "fmv." format " %0, %1" : "+f"(d) : "f"(b) : "t0"); \
        else if (SAME(d, b))                                                                                                \
            __asm__("flt." format " t0, " in_b "\n\t" SKIP_IF_ZERO("t0") "fmv." format " %0, %1" : "+f"(d) : "f"(a) : "t0"); \
        else                                                                                                                \
            __asm__("flt." format " t0, " apart "\n\tfmv." format " %0, %2\n\t" SKIP_IF_ZERO("t0") "fmv." format " %0, %1"   \
                    : "=&f"(d) : "f"(a), "f"(b) : "t0");                                                                    \
    } while (0)
#define LIMITED_ABOVE(format, d, a, b) LIMITED(format, "%0, %1", "%1, %0", "%1, %2", d, a, b)
#define LIMITED_BELOW(format, d, a, b) LIMITED(format, "%1, %0", "%0, %1", "%2, %1", d, a, b)
#define ATMOST_F32(d, a, b) LIMITED_ABOVE("s", d, a, b)
#define ATLEAST_F32(d, a, b) LIMITED_BELOW("s", d, a, b)
#define ATMOST_F64(d, a, b) LIMITED_ABOVE("d", d, a, b)
#define ATLEAST_F64(d, a, b) LIMITED_BELOW("d", d, a, b)
#else
#define ATMOST_F32(d, a, b) d = atmost_f32(a, b)
#define ATLEAST_F32(d, a, b) d = atleast_f32(a, b)
#define ATMOST_F64(d, a, b) d = atmost_f64(a, b)
#define ATLEAST_F64(d, a, b) d = atleast_f64(a, b)
#endif

#if defined(__aarch64__)
TEXT f32 atmost_f32(f32 a, f32 b) { return min_f32(a, b); } /* one instruction as well */
TEXT f32 atleast_f32(f32 a, f32 b) { return max_f32(a, b); }
#elif defined(__arm__) && ROUNDING_INSTRUCTIONS
/* FPv5 selects in one instruction. */
TEXT f32 atmost_f32(f32 a, f32 b) {
    f32 r;
    __asm__("vcmp.f32 %2, %1\n\tvmrs APSR_nzcv, fpscr\n\tvselgt.f32 %0, %1, %2" : "=t"(r) : "t"(a), "t"(b) : "cc");
    return r;
}

TEXT f32 atleast_f32(f32 a, f32 b) {
    f32 r;
    __asm__("vcmp.f32 %1, %2\n\tvmrs APSR_nzcv, fpscr\n\tvselgt.f32 %0, %1, %2" : "=t"(r) : "t"(a), "t"(b) : "cc");
    return r;
}
#elif !defined(__riscv_flen)
TEXT f32 atmost_f32(f32 a, f32 b) { return a < b ? a : b; }
TEXT f32 atleast_f32(f32 a, f32 b) { return a > b ? a : b; }
#endif

/* 1 with the sign of a, but a itself where it is zero or NaN. */
#if defined(__i386__)
SSE2_FUNCTION(sign_f32, f32, SSE2_F32(SSE2_UNIT, "0x3f800000"))
#else
TEXT f32 sign_f32(f32 a) {
    u32 u = bits(a);
    u32 ordered_nonzero = (u << 1) - 1u < INFINITY_BITS << 1;
    return pick_f32(ordered_nonzero, from_bits((u & SIGN_BIT) | ONE_BITS), a);
}
#endif
