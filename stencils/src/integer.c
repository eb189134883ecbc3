/* 32-bit integer arithmetic: two's complement, wrapping, so done on u32. */
//@ add sub mul i32 I=II tied memory
//@ floordiv mod i32 I=II: {op}(D, A, B) // softdivision i32-{op}: SERVICE3(D, A, B, OFF)
//@ min i32 I=II tied jumps: MIN_I32(D, A, B)
//@ max i32 I=II tied jumps: MAX_I32(D, A, B)
//@ neg abs sign i32 I=I
//@ and or xor i32 bool I=II tied memory
//@ not i32 I=I
//@ not bool I=I
//@ shl shr i32 I=II: {op}(D, A, B)
//@ shli shri ushri i32 I=I shifted needs shifts sse2: {op}(D, A, OFF)
//@ addshl i32 I=II shifted needs barrel: WITH_SHIFTED("add", "lsl", D, A, B, OFF)
//@ addshr i32 I=II shifted needs barrel: WITH_SHIFTED("add", "asr", D, A, B, OFF)
//@ addushr i32 I=II shifted needs barrel: WITH_SHIFTED("add", "lsr", D, A, B, OFF)
//@ subshl i32 I=II shifted needs barrel: WITH_SHIFTED("sub", "lsl", D, A, B, OFF)
//@ subshr i32 I=II shifted needs barrel: WITH_SHIFTED("sub", "asr", D, A, B, OFF)
//@ subushr i32 I=II shifted needs barrel: WITH_SHIFTED("sub", "lsr", D, A, B, OFF)
//@ andshl i32 I=II shifted needs barrel: WITH_SHIFTED("and", "lsl", D, A, B, OFF)
//@ andshr i32 I=II shifted needs barrel: WITH_SHIFTED("and", "asr", D, A, B, OFF)
//@ andushr i32 I=II shifted needs barrel: WITH_SHIFTED("and", "lsr", D, A, B, OFF)
//@ orshl i32 I=II shifted needs barrel: WITH_SHIFTED("orr", "lsl", D, A, B, OFF)
//@ orshr i32 I=II shifted needs barrel: WITH_SHIFTED("orr", "asr", D, A, B, OFF)
//@ orushr i32 I=II shifted needs barrel: WITH_SHIFTED("orr", "lsr", D, A, B, OFF)
//@ xorshl i32 I=II shifted needs barrel: WITH_SHIFTED("eor", "lsl", D, A, B, OFF)
//@ xorshr i32 I=II shifted needs barrel: WITH_SHIFTED("eor", "asr", D, A, B, OFF)
//@ xorushr i32 I=II shifted needs barrel: WITH_SHIFTED("eor", "lsr", D, A, B, OFF)
//@ muladd mulsub i32 I=III needs products: {op}(D, A, B, C)
//@ mulhigh i32 I=II: MULTIPLY_HIGH(D, A, B)
//@ mulshr i32 I=II bit needs longshifts: MULTIPLY_SHIFT(D, A, B, OFF)
//@ addby i32 I=I number needs shifts: ADD_BY(D, A, OFF) // near: SUM_NEAR("add", D, A, OFF)
//@ subby i32 I=I number needs differences: SUB_BY(D, A, OFF) // near: SUM_NEAR("sub", D, A, OFF)
//@ andby i32 I=I compared needs puts: BITS_BY("and", D, A, OFF)
//@ orby i32 I=I compared needs puts: BITS_BY("orr", D, A, OFF)
//@ xorby i32 I=I compared needs puts: BITS_BY("eor", D, A, OFF)
//@ spread i32 I=I bit needs pointers: SPREAD(D, A, OFF)
//@ ssat i32 I=I bit needs saturation: SSAT(D, A, OFF)
//@ usat i32 I=I bit needs saturation: USAT(D, A, OFF)
//@ key i32 I=I needs shifts: KEY(D, A)
//@ shlp i32 I=I scaled needs scales: SCALED(D, A, OFF)
//@ quotient i32 I=II needs quotients: QUOTIENT(D, A, B)
//@ row i32 I=I rows jumps needs pointers: ROW(D, A, OFF, AS_OFFSET)
//@ rowup i32 I=I rows jumps needs pointers: ROW_UP(D, A, OFF, AS_OFFSET)
//@ rowp i32 I=I rows jumps needs pointers: ROW(D, A, OFF, AS_POINTER)
//@ rowupp i32 I=I rows jumps needs pointers: ROW_UP(D, A, OFF, AS_POINTER)
//@ row2 i32 I=I rows2 jumps needs powers: ROW_2(D, A, OFF, AS_OFFSET)
//@ rowup2 i32 I=I rows2 jumps needs powers: ROW_UP_2(D, A, OFF, AS_OFFSET)
//@ row2p i32 I=I rows2 jumps needs powers: ROW_2(D, A, OFF, AS_POINTER)
//@ rowup2p i32 I=I rows2 jumps needs powers: ROW_UP_2(D, A, OFF, AS_POINTER)
#include "pick.h"
#include "row.h"
#include "stencil.h"

TEXT u32 add_i32(u32 a, u32 b) { return a + b; }
TEXT u32 sub_i32(u32 a, u32 b) { return a - b; }
TEXT u32 mul_i32(u32 a, u32 b) { return a * b; }
TEXT u32 and_i32(u32 a, u32 b) { return a & b; }
TEXT u32 or_i32(u32 a, u32 b) { return a | b; }
TEXT u32 xor_i32(u32 a, u32 b) { return a ^ b; }
TEXT u32 neg_i32(u32 a) { return 0u - a; }
TEXT u32 not_i32(u32 a) { return ~a; }
TEXT u32 not_bool(u32 a) { return a ^ 1u; }

/* By a constant from 1 to 31. */
#if defined(__ARM_ARCH_6M__)
#define SHIFTED(insn, d, a, n) __asm__(insn " %0, %1, %2" : "=l"(d) : "l"(a), "i"(n) : "cc")
#define shli(d, a, n) SHIFTED("lsls", d, a, n)
#define shri(d, a, n) SHIFTED("asrs", d, a, n)
#define ushri(d, a, n) SHIFTED("lsrs", d, a, n)
#elif defined(__arm__)
#define SHIFTED(insn, d, a, n) __asm__(insn "s %0, %1, %2" : "=r"(d) : "r"(a), "i"(n) : "cc")
#define shli(d, a, n) SHIFTED("lsl", d, a, n)
#define shri(d, a, n) SHIFTED("asr", d, a, n)
#define ushri(d, a, n) SHIFTED("lsr", d, a, n)
#elif defined(__aarch64__)
/* The field of lsl counts backwards, that of a shifted operand does not. */
#define shli(d, a, n) __asm__("orr %w0, wzr, %w1, lsl %2" : "=r"(d) : "r"(a), "i"(n))
#define shri(d, a, n) __asm__("asr %w0, %w1, %2" : "=r"(d) : "r"(a), "i"(n))
#define ushri(d, a, n) __asm__("lsr %w0, %w1, %2" : "=r"(d) : "r"(a), "i"(n))
#elif defined(__riscv)
#if __riscv_xlen == 64
#define SHIFTED(insn, d, a, n) __asm__(insn "w %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#else
#define SHIFTED(insn, d, a, n) __asm__(insn " %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#endif
#define shli(d, a, n) SHIFTED("slli", d, a, n)
#define shri(d, a, n) SHIFTED("srai", d, a, n)
#define ushri(d, a, n) SHIFTED("srli", d, a, n)
#elif defined(X86)
/* By a symbol: for a shift by 1 that is written as a number there is a shorter form. */
#define SHIFTED(insn, d, a)                                         \
    do {                                                            \
        d = a;                                                      \
        __asm__(insn " $cf_hole, %k0" : "+r"(d) : : "cc");          \
    } while (0)
#define shli(d, a, n) SHIFTED("shll", d, a)
#define shri(d, a, n) SHIFTED("sarl", d, a)
#define ushri(d, a, n) SHIFTED("shrl", d, a)
#endif

/* With a second operand that is shifted by a constant. */
#if defined(__aarch64__)
#define WITH_SHIFTED(insn, shift, d, a, b, n) \
    __asm__(insn " %w0, %w1, %w2, " shift " %3" : "=r"(d) : "r"(a), "r"(b), "i"(n))
#elif defined(__arm__)
#define WITH_SHIFTED(insn, shift, d, a, b, n) \
    __asm__(insn WIDE " %0, %1, %2, " shift " %3" : "=r"(d) : "r"(a), "r"(b), "i"(n))
#endif

/* A product added to the first operand, or subtracted from it. */
#if defined(__aarch64__)
#define muladd(d, a, b, c) __asm__("madd %w0, %w2, %w3, %w1" : "=r"(d) : "r"(a), "r"(b), "r"(c))
#define mulsub(d, a, b, c) __asm__("msub %w0, %w2, %w3, %w1" : "=r"(d) : "r"(a), "r"(b), "r"(c))
#elif defined(__arm__)
#define muladd(d, a, b, c) __asm__("mla %0, %2, %3, %1" : "=r"(d) : "r"(a), "r"(b), "r"(c))
#define mulsub(d, a, b, c) __asm__("mls %0, %2, %3, %1" : "=r"(d) : "r"(a), "r"(b), "r"(c))
#endif

/* The upper 32 bits of a product of numbers without a sign, and these shifted to the right. */
#if defined(__ARM_ARCH_6M__)
/* In halves: neither the sum of a product of two of them and what the one below carries nor that sum's lower half with
 * another product exceeds 32 bits. r12 is the product of a's upper half and b's lower one with what is carried to it, lr that of
 * the upper halves. */
#define MULTIPLY_HIGH(d, a, b)                                                                                 \
    __asm__("mov r0, %1\n\tmov r3, %2\n\tuxth r0, r0\n\tuxth r3, r3\n\tmuls r0, r3, r0\n\tlsrs r0, r0, #16\n\t"  \
            "mov r12, r0\n\tmov r0, %1\n\tlsrs r0, r0, #16\n\tmuls r3, r0, r3\n\tadd r12, r3\n\tmov r3, %2\n\t"  \
            "lsrs r3, r3, #16\n\tmuls r0, r3, r0\n\tmov lr, r0\n\tmov r0, %1\n\tuxth r0, r0\n\tmuls r3, r0, r3\n\t" \
            "mov r0, r12\n\tuxth r0, r0\n\tadds r3, r3, r0\n\tlsrs r3, r3, #16\n\tadd lr, r3\n\tmov r0, r12\n\t" \
            "lsrs r0, r0, #16\n\tadd r0, lr\n\tmov %0, r0"                                                       \
            : "=r"(d) : "r"(a), "r"(b) : "r0", "r3", "r12", "cc") /* lr, which nobody needs, would be saved */
#elif defined(__arm__)
#define MULTIPLY_HIGH(d, a, b) __asm__("umull r3, %0, %1, %2" : "=r"(d) : "r"(a), "r"(b) : "r3")
#elif defined(__aarch64__)
#define MULTIPLY_HIGH(d, a, b) MULTIPLY_SHIFT(d, a, b, 0)
#define MULTIPLY_SHIFT(d, a, b, n) \
    __asm__("umull %x0, %w1, %w2\n\tlsr %x0, %x0, %3" : "=r"(d) : "r"(a), "r"(b), "i"(32 + (n)))
#elif defined(__riscv)
#if __riscv_xlen == 64
#define MULTIPLY_HIGH(d, a, b)                                                                           \
    __asm__("slli t0, %1, 32\n\tslli t1, %2, 32\n\tmulhu t0, t0, t1\n\tsrai %0, t0, 32" \
            : "=r"(d) : "r"(a), "r"(b) : "t0", "t1")
#else
#define MULTIPLY_HIGH(d, a, b) __asm__("mulhu %0, %1, %2" : "=r"(d) : "r"(a), "r"(b))
#endif
#elif defined(X86)
#define MULTIPLY_HIGH(d, a, b) \
    __asm__("movl %k1, %%eax\n\tmull %k2\n\tmovl %%edx, %k0" : "=r"(d) : "r"(a), "r"(b) : "eax", "edx", "cc")
#endif

/* With a number that is part of the instruction. */
#if defined(__ARM_ARCH_6M__)
#define SUM_BY(insn, d, a, n)                                                                                    \
    do {                                                                                                         \
        if (SAME(d, a) && LOW(d))                                                                                \
            __asm__(insn " %0, %1" : "+l"(d) : "i"(n) : "cc");                                                   \
        else if (LOW(d))                                                                                         \
            __asm__("mov %0, %1\n\t" insn " %0, %2" : "=&l"(d) : "r"(a), "i"(n) : "cc");                         \
        else                                                                                                     \
            __asm__("mov r0, %1\n\t" insn " r0, %2\n\tmov %0, r0" : "=r"(d) : "r"(a), "i"(n) : "r0", "cc");     \
    } while (0)
#define ADD_BY(d, a, n) SUM_BY("adds", d, a, n)
#define SUB_BY(d, a, n) SUM_BY("subs", d, a, n)
#elif defined(__thumb2__)
#define ADD_BY(d, a, n) __asm__("addw %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#define SUB_BY(d, a, n) __asm__("subw %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#elif defined(__arm__)
#define ADD_BY(d, a, n) __asm__("add %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#define SUB_BY(d, a, n) __asm__("sub %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#elif defined(__aarch64__)
#define ADD_BY(d, a, n) __asm__("add %w0, %w1, %2" : "=r"(d) : "r"(a), "i"(n))
#define SUB_BY(d, a, n) __asm__("sub %w0, %w1, %2" : "=r"(d) : "r"(a), "i"(n))
#elif defined(__riscv) /* adds negative numbers, too */
#if __riscv_xlen == 64
#define ADD_BY(d, a, n) __asm__("addiw %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#else
#define ADD_BY(d, a, n) __asm__("addi %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#endif
#endif

/* All ones where a bit is set, by its number, else 0. */
#if defined(__ARM_ARCH_6M__)
#define SPREAD(d, a, n) __asm__("lsls %0, %1, %2\n\tasrs %0, %0, #31" : "=l"(d) : "l"(a), "i"(31 - (n)) : "cc")
#elif defined(__arm__)
#define SPREAD(d, a, n) __asm__("sbfx %0, %1, %2, #1" : "=r"(d) : "r"(a), "i"(n))
#elif defined(__aarch64__)
#define SPREAD(d, a, n) __asm__("sbfx %w0, %w1, %2, #1" : "=r"(d) : "r"(a), "i"(n))
#elif defined(__riscv)
#if __riscv_xlen == 64
#define SPREAD(d, a, n) __asm__("slliw %0, %1, %2\n\tsraiw %0, %0, 31" : "=r"(d) : "r"(a), "i"(31 - (n)))
#else
#define SPREAD(d, a, n) __asm__("slli %0, %1, %2\n\tsrai %0, %0, 31" : "=r"(d) : "r"(a), "i"(31 - (n)))
#endif
#endif

/* The nearest integer of some bits, with a sign beside them and without. */
#if defined(__arm__) && !defined(__ARM_ARCH_6M__)
#define SSAT(d, a, n) __asm__("ssat %0, %1, %2" : "=r"(d) : "i"((n) + 1), "r"(a))
#define USAT(d, a, n) __asm__("usat %0, %1, %2" : "=r"(d) : "i"(n), "r"(a))
#endif

/* The bits of a float as an integer of the same order, and such an integer as the bits: those
 * below the sign are inverted where that is set. */
#if defined(__ARM_ARCH_6M__)
#define KEY(d, a)                                                                                          \
    __asm__("mov r0, %1\n\tasrs r3, r0, #31\n\tlsrs r3, r3, #1\n\teors r0, r3\n\tmov %0, r0"             \
            : "=r"(d) : "r"(a) : "r0", "r3", "cc")
#elif defined(__arm__)
#define KEY(d, a) __asm__("asrs r3, %1, #31\n\teor" WIDE " %0, %1, r3, lsr #1" : "=r"(d) : "r"(a) : "r3", "cc")
#elif defined(__aarch64__)
#define KEY(d, a)                                                                                              \
    do {                                                                                                       \
        u32 sign;                                                                                              \
        __asm__("asr %w1, %w2, #31\n\teor %w0, %w2, %w1, lsr #1" : "=r"(d), "=&r"(sign) : "r"(a));             \
    } while (0)
#elif defined(__riscv)
#if __riscv_xlen == 64
#define KEY(d, a) __asm__("sraiw t0, %1, 31\n\tsrliw t0, t0, 1\n\txor %0, %1, t0" : "=r"(d) : "r"(a) : "t0")
#else
#define KEY(d, a) __asm__("srai t0, %1, 31\n\tsrli t0, t0, 1\n\txor %0, %1, t0" : "=r"(d) : "r"(a) : "t0")
#endif
#endif

#if defined(__ARM_ARCH_6M__)
/* A branch over a move: masks would take a branch as well, and six instructions more. */
#define FIRST_UNLESS(first, second)                                               \
    u32 r;                                                                        \
    __asm__("mov %0, %1\n\tcmp " first ", " second "\n\tbge.n 4f\n\tmov %0, %2\n4:" \
            : "=&r"(r) : "r"(a), "r"(b) : "cc");                                  \
    return r

TEXT u32 min_i32(u32 a, u32 b) { FIRST_UNLESS("%2", "%1"); }
TEXT u32 max_i32(u32 a, u32 b) { FIRST_UNLESS("%1", "%2"); }
#else
#if !defined(SELECT_WITH_BRANCH)
#define MIN_I32(d, a, b) d = pick((i32)a < (i32)b, a, b)
#define MAX_I32(d, a, b) d = pick((i32)a > (i32)b, a, b)
#endif
#endif

/* All ones for a negative number, else 0. */
TEXT u32 sign_mask(u32 a) { return (u32)((i32)a >> 31); }

TEXT u32 abs_i32(u32 a) { return (a ^ sign_mask(a)) - sign_mask(a); }
TEXT u32 sign_i32(u32 a) { return sign_mask(a) | (0u - a) >> 31; }

/* Raises sticky flags; a plain OR of 0 where there is nothing to raise. */
TEXT void raise(base_ptr base, u32 flags) { *(u32_word *)(base - BASE_BIAS) |= flags; }

/* What comes before is not mixed with what comes after: that takes fewer registers. */
#define FIRST __asm__ volatile("" : : : "memory")

/* Floor division: quotient toward zero, then 1 less where a rest is left whose sign
 * is not the divisor's; the remainder gets the divisor added there. a // 0 is 0 and
 * a % 0 is a, both flagged; MIN // -1 is MIN, flagged; MIN % -1 is 0, which is exact. */
#if defined(__x86_64__)

/* idiv traps for a / 0 and MIN / -1. Divisors 0 and -1 branch off; all else is free of
 * branches, so that its time does not depend on the numbers. */
#define FLAG_DIVIDE_RAISED "orl $1, (%%rbx)\n\t"

TEXT u32 floordiv_i32(u32 a, u32 b, base_ptr base) {
    u32 q;
    (void)base; /* rbx, which the text names */
    __asm__ volatile("movl %1, %0\n\tmovl %2, %%ecx\n\t"
                     "leal 1(%%rcx), %%edx\n\tcmpl $1, %%edx\n\tja 2f\n\t"
                     "testl %%ecx, %%ecx\n\tjz 1f\n\t"
                     "negl %0\n\tjno 3f\n\t" /* a / -1; overflow leaves MIN */
                     FLAG_DIVIDE_RAISED "jmp 3f\n"
                     "1:\txorl %0, %0\n\t" FLAG_DIVIDE_RAISED "jmp 3f\n"
                     "2:\tcltd\n\tidivl %%ecx\n\t"
                     "xorl %%edx, %%ecx\n\tsarl $31, %%ecx\n\t" /* signs differ */
                     "negl %%edx\n\tsbbl %%edx, %%edx\n\t"      /* a rest is left */
                     "andl %%edx, %%ecx\n\taddl %%ecx, %0\n"
                     "3:"
                     : "=&a"(q)
                     : "r"(a), "r"(b)
                     : "rcx", "rdx", "cc", "memory");
    return q;
}

TEXT u32 mod_i32(u32 a, u32 b, base_ptr base) {
    u32 r;
    (void)base;
    __asm__ volatile("movl %1, %0\n\tmovl %2, %%ecx\n\t"
                     "leal 1(%%rcx), %%edx\n\tcmpl $1, %%edx\n\tja 2f\n\t"
                     "testl %%ecx, %%ecx\n\tjz 1f\n\t"
                     "xorl %0, %0\n\tjmp 3f\n" /* a % -1 */
                     "1:\t" FLAG_DIVIDE_RAISED "jmp 3f\n"
                     "2:\tcltd\n\tidivl %%ecx\n\tmovl %%edx, %0\n\t"
                     "xorl %%edx, %%ecx\n\tsarl $31, %%ecx\n\t"
                     "negl %%edx\n\tsbbl %%edx, %%edx\n\t"
                     "andl %%edx, %%ecx\n\tandl %2, %%ecx\n\taddl %%ecx, %0\n"
                     "3:"
                     : "=&a"(r)
                     : "r"(a), "r"(b)
                     : "rcx", "rdx", "cc", "memory");
    return r;
}

#elif defined(__i386__)

/* As above. With eax and edx alone, the quotient or rest waits in a vector register while
 * edx becomes all ones where a rest is left whose sign is not the divisor's: where the
 * rest, negated for a negative divisor, is negative. */
#define DIVIDE_UNLESS_0_OR_MINUS_1 \
    "movl %2, %0\n\tleal 1(%3), %%edx\n\tcmpl $1, %%edx\n\tja 2f\n\ttestl %3, %3\n\tjz 1f\n\t"
#define FLAG_DIVIDE_RAISED "orl $1, (%%ebp)\n\t"
#define ABOVE_FLOOR(wait) \
    "movd " wait ", %1\n\tmovl %3, %0\n\tsarl $31, %0\n\txorl %0, %%edx\n\tsubl %0, %%edx\n\tsarl $31, %%edx\n\t"

TEXT u32 floordiv_i32(u32 a, u32 b, base_ptr base) {
    u32 q;
    register f32 wait __asm__(SCRATCH_XMM);
    (void)base; /* ebp, which the text names */
    __asm__ volatile(DIVIDE_UNLESS_0_OR_MINUS_1
                     "negl %0\n\tjno 3f\n\t" /* a / -1; overflow leaves MIN */
                     FLAG_DIVIDE_RAISED "jmp 3f\n"
                     "1:\txorl %0, %0\n\t" FLAG_DIVIDE_RAISED "jmp 3f\n"
                     "2:\tcltd\n\tidivl %3\n\t" ABOVE_FLOOR("%0")
                     "movd %1, %0\n\taddl %%edx, %0\n"
                     "3:"
                     : "=&a"(q), "=&x"(wait)
                     : "r"(a), "r"(b)
                     : "edx", "cc", "memory");
    return q;
}

TEXT u32 mod_i32(u32 a, u32 b, base_ptr base) {
    u32 r;
    register f32 wait __asm__(SCRATCH_XMM);
    (void)base;
    __asm__ volatile(DIVIDE_UNLESS_0_OR_MINUS_1
                     "xorl %0, %0\n\tjmp 3f\n" /* a % -1 */
                     "1:\t" FLAG_DIVIDE_RAISED "jmp 3f\n"
                     "2:\tcltd\n\tidivl %3\n\t" ABOVE_FLOOR("%%edx")
                     "movd %1, %0\n\tandl %3, %%edx\n\taddl %%edx, %0\n"
                     "3:"
                     : "=&a"(r), "=&x"(wait)
                     : "r"(a), "r"(b)
                     : "edx", "cc", "memory");
    return r;
}

#elif defined(__arm__) && defined(__ARM_FEATURE_IDIV)

/* In named registers: GCC's choice would depend on the operands. A Cortex-M traps for a / 0 if
 * its runner has told it to. r2 is the rest, r3 all ones where its sign is not the divisor's. */
#define DIVIDE                                                                              \
    "str" WIDE " r12, [%3]\n\tcmp" WIDE " %2, #0\n\tite ne\n\tsdivne lr, %1, %2\n\t"      \
    "moveq" WIDE " lr, #0\n\tmls r2, lr, %2, %1\n\teor" WIDE " r3, r2, %2\n\t"            \
    "asr" WIDE " r3, r3, #31\n\t"
#define FLAG_DIVIDE_RAISED "orreq" WIDE " r12, r12, #1\n\t"
#define ZERO_BY(what) "cmp" WIDE " " what ", #0\n\tit eq\n\tmoveq" WIDE " r3, #0\n\t"
#define DIVIDED(d, a, b, text) \
    __asm__ volatile(text : "=r"(d) : "r"(a), "r"(b), "r"(base) : "r2", "r3", "r12", "lr", "cc", "memory")

#define floordiv(d, a, b)                                                                                               \
    DIVIDED(d, a, b, "ldr" WIDE " r12, [%3]\n\tcmp" WIDE " %2, #0\n\tit eq\n\t" FLAG_DIVIDE_RAISED                       \
                     "cmn" WIDE " %2, #1\n\tit eq\n\tcmpeq" WIDE " %1, #0x80000000\n\tit eq\n\t" FLAG_DIVIDE_RAISED      \
                     DIVIDE ZERO_BY("r2") ZERO_BY("%2") "add" WIDE " %0, lr, r3")
#define mod(d, a, b)                                                                              \
    DIVIDED(d, a, b, "ldr" WIDE " r12, [%3]\n\tcmp" WIDE " %2, #0\n\tit eq\n\t" FLAG_DIVIDE_RAISED \
                     DIVIDE ZERO_BY("r2") "and" WIDE " r3, r3, %2\n\tadd" WIDE " %0, r2, r3")

#else

/* Toward zero, with a / 0 = 0 and MIN / -1 = MIN. */
#if defined(__aarch64__)
#define QUOTIENT(d, a, b) __asm__("sdiv %w0, %w1, %w2" : "=r"(d) : "r"(a), "r"(b))
TEXT u32 quotient(u32 a, u32 b) {
    u32 q;
    QUOTIENT(q, a, b);
    return q;
}
#elif defined(__riscv_div)
TEXT u32 quotient(u32 a, u32 b) {
    u32 q;
#if __riscv_xlen == 64
    __asm__("divw %0, %1, %2" : "=r"(q) : "r"(a), "r"(b));
#else
    __asm__("div %0, %1, %2" : "=r"(q) : "r"(a), "r"(b));
#endif
    return q & (0u - (b != 0)); /* a / 0 is -1 */
}
#elif defined(__arm__)

/* No instruction for it. In double: a / b is never nearer to an integer that it is not
 * than 1 / b, and the error of the division is below 2^-22 / b. The conversion back
 * saturates and makes 0 of a NaN, which is wrong for b = 0 and for MIN / -1. */
TEXT u32 quotient(u32 a, u32 b) {
    u32 q;
    __asm__ volatile("vmov s28, %1\n\tvmov s30, %2\n\t"
            "vcvt.f64.s32 d14, s28\n\tvcvt.f64.s32 d15, s30\n\t"
            "vdiv.f64 d14, d14, d15\n\tvcvt.s32.f64 s28, d14\n\t"
            "vmov %0, s28\n\t"
            "cmp %2, #0\n\tmoveq %0, #0\n\t"
            "cmn %2, #1\n\trsbeq %0, %1, #0"
            : "=&r"(q)
            : "r"(a), "r"(b)
            : "s28", "s29", "s30", "s31", "cc");
    return q;
}

#else
#error "integer.c: no quotient for this architecture"
#endif

/* All ones where a rest is left whose sign is not the divisor's. */
TEXT u32 above_floor(u32 rest, u32 b) { return sign_mask(rest ^ b) & (0u - (rest != 0)); }

TEXT u32 floordiv_i32(u32 a, u32 b, base_ptr base) {
    raise(base, FLAG_DIVIDE * ((b == 0) | ((a == SIGN_BIT) & (b == 0xffffffffu))));
    FIRST;
    u32 q = quotient(a, b), rest = a - q * b;
    return q + (above_floor(rest, b) & (0u - (b != 0)));
}

TEXT u32 mod_i32(u32 a, u32 b, base_ptr base) {
    raise(base, FLAG_DIVIDE * (b == 0));
    FIRST;
    u32 rest = a - quotient(a, b) * b;
    return rest + (b & above_floor(rest, b));
}

#endif

#if !defined(floordiv)
#define floordiv(d, a, b) d = floordiv_i32(a, b, base)
#define mod(d, a, b) d = mod_i32(a, b, base)
#endif

/* Shift counts are signed. A negative one gives 0 and raises the flag. */
#if defined(__ARM_ARCH_6M__)

/* Shifts by 32 and more leave nothing but signs. */
#define SHIFT(r, a, n, shift)                                                                            \
    __asm__ volatile("mov r0, %2\n\tlsrs r0, r0, #31\n\tlsls r0, r0, #1\n\tldr r3, [r4]\n\torrs r3, r0\n\t" \
                     "str r3, [r4]\n\tmov r3, %2\n\tlsrs r0, r3, #5\n\tbeq.n 4f\n\tmovs r3, #32\n4:\t"      \
                     "mov r0, %1\n\t" shift "mov %0, r0"                                                  \
                     : "=r"(r)                                                                           \
                     : "r"(a), "r"(n)                                                                    \
                     : "r0", "r3", "cc", "memory")

TEXT u32 shl_i32(u32 a, u32 n, base_ptr base) {
    u32 r;
    (void)base; /* r4, which the text names */
    SHIFT(r, a, n, "lsls r0, r3\n\t");
    return r;
}

TEXT u32 shr_i32(u32 a, u32 n, base_ptr base) {
    u32 r;
    (void)base;
    SHIFT(r, a, n, "asrs r0, r3\n\tmov r3, %2\n\tasrs r3, r3, #31\n\tbics r0, r3\n\t");
    return r;
}

#elif defined(__thumb2__)

/* r2 is all ones where the count is negative. */
#define SHIFT(d, a, n, text)                                                                               \
    __asm__ volatile("ldr.w r3, [r10]\n\tasr.w r2, %2, #31\n\tand.w r12, r2, #2\n\torr.w r3, r3, r12\n\t" \
                     "str.w r3, [r10]\n\tcmp.w %2, #31\n\tite ls\n\t" text                                \
                     : "=r"(d)                                                                             \
                     : "r"(a), "r"(n)                                                                      \
                     : "r2", "r3", "r12", "cc", "memory")
#define shl(d, a, n) SHIFT(d, a, n, "lslls.w %0, %1, %2\n\tmovhi.w %0, #0")
#define shr(d, a, n) SHIFT(d, a, n, "asrls.w %0, %1, %2\n\tasrhi.w %0, %1, #31\n\tbic.w %0, %0, r2")

#elif defined(__i386__)

/* In vector registers, since ecx holds an operand: their shifts by 32 and more, and by
 * negative numbers, leave nothing but signs. */
#define SHIFT(r, a, n, flag, shift)                                                          \
    __asm__ volatile(flag "orl %%edx, (%%ebp)\n\tmovd %1, %%xmm6\n\tmovd %2, %%xmm7\n\t" shift \
                     : "=&a"(r)                                                              \
                     : "r"(a), "r"(n)                                                        \
                     : "edx", "xmm6", "xmm7", "cc", "memory")

TEXT u32 shl_i32(u32 a, u32 n, base_ptr base) {
    u32 r;
    (void)base; /* ebp, which the text names */
    SHIFT(r, a, n, "movl %2, %%edx\n\tshrl $31, %%edx\n\taddl %%edx, %%edx\n\t",
          "pslld %%xmm7, %%xmm6\n\tmovd %%xmm6, %0");
    return r;
}

TEXT u32 shr_i32(u32 a, u32 n, base_ptr base) {
    u32 r;
    (void)base;
    SHIFT(r, a, n, "movl %2, %0\n\tsarl $31, %0\n\tmovl %0, %%edx\n\tandl $2, %%edx\n\t",
          "psrad %%xmm7, %%xmm6\n\tmovd %%xmm6, %%edx\n\tnotl %0\n\tandl %%edx, %0");
    return r;
}

#else

TEXT u32 shl_i32(u32 a, u32 n, base_ptr base) {
    raise(base, pick(n >> 31, FLAG_SHIFT, 0u));
    FIRST;
    return pick(n > 31u, 0u, a << (n & 31u));
}

TEXT u32 shr_i32(u32 a, u32 n, base_ptr base) {
    raise(base, pick(n >> 31, FLAG_SHIFT, 0u));
    FIRST;
    u32 shifted = (u32)((i32)a >> (pick(n > 31u, 31u, n) & 31u));
    return shifted & ~sign_mask(n);
}

#endif

#if !defined(shl)
#define shl(d, a, n) d = shl_i32(a, n, base)
#define shr(d, a, n) d = shr_i32(a, n, base)
#endif
