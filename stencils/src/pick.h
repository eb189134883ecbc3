/* Choices of one of two operands: by flags, or by a condition, which is 0 or not.
 *
 * A test leaves its result in the flags of the machine, for the picks right behind it. Only moves, loads and stores may lie
 * between them, which change no flags where there are tests (the self-test holds them to that). The conditions gt, ge and eq
 * are all false where an operand of the test is a NaN. */
#ifndef CF_PICK_H
#define CF_PICK_H

#include "stencil.h"

#if defined(__aarch64__)

#define TEST_F32(a, b) __asm__ volatile("fcmp %s0, %s1" : : "w"(a), "w"(b) : "cc")
#define TEST_F64(a, b) __asm__ volatile("fcmp %d0, %d1" : : "w"(a), "w"(b) : "cc")
#define TEST_I32(a, b) __asm__ volatile("cmp %w0, %w1" : : "r"(a), "r"(b) : "cc")
#define PICK_F32(when, unless, d, a, b) __asm__ volatile("fcsel %s0, %s1, %s2, " when : "=w"(d) : "w"(a), "w"(b))
#define PICK_F64(when, unless, d, a, b) __asm__ volatile("fcsel %d0, %d1, %d2, " when : "=w"(d) : "w"(a), "w"(b))
#define PICK_I32(when, unless, d, a, b) __asm__ volatile("csel %w0, %w1, %w2, " when : "=r"(d) : "r"(a), "r"(b))

#elif defined(__arm__) && !defined(__ARM_ARCH_6M__)

#define TEST_F32(a, b) __asm__ volatile("vcmp.f32 %0, %1\n\tvmrs APSR_nzcv, fpscr" : : "t"(a), "t"(b) : "cc")
#define TEST_F64(a, b) __asm__ volatile("vcmp.f64 %P0, %P1\n\tvmrs APSR_nzcv, fpscr" : : "w"(a), "w"(b) : "cc")
#define TEST_I32(a, b) __asm__ volatile("cmp %0, %1" : : "r"(a), "r"(b) : "cc")

/* A move on a condition, or one on either where no operand is in the register of the result. */
#define PICK(kind, p, move, type, when, unless, d, a, b)                                                             \
    do {                                                                                                             \
        if (SAME(d, a))                                                                                              \
            __asm__ volatile("it " unless "\n\t" move unless type " %" p "0, %" p "1" : "+" kind(d) : kind(b));      \
        else if (SAME(d, b))                                                                                         \
            __asm__ volatile("it " when "\n\t" move when type " %" p "0, %" p "1" : "+" kind(d) : kind(a));          \
        else                                                                                                         \
            __asm__ volatile("ite " when "\n\t" move when type " %" p "0, %" p "1\n\t" move unless type " %" p "0, %" p "2" \
                             : "=" kind(d) : kind(a), kind(b));                                                      \
    } while (0)
#define PICK_I32(when, unless, d, a, b) PICK("r", "", "mov", "", when, unless, d, a, b)
#define PUT(d, n) __asm__ volatile("mov" WIDE " %0, %1" : "=r"(d) : "i"(n))
#define PUT_IF(when, unless, d, a, n)                                                                              \
    do {                                                                                                           \
        if (SAME(d, a))                                                                                            \
            __asm__ volatile("it " when "\n\tmov" when " %0, %1" : "+r"(d) : "i"(n));                              \
        else                                                                                                       \
            __asm__ volatile("ite " when "\n\tmov" when " %0, %2\n\tmov" unless " %0, %1" : "=r"(d) : "r"(a), "i"(n)); \
    } while (0)
#if defined(__ARM_FP) && (__ARM_FP & 8) != 0 && __ARM_ARCH_PROFILE == 'M' /* FPv5 */
#define PICK_F32(when, unless, d, a, b) __asm__ volatile("vsel" when ".f32 %0, %1, %2" : "=t"(d) : "t"(a), "t"(b))
#define PICK_F64(when, unless, d, a, b) __asm__ volatile("vsel" when ".f64 %P0, %P1, %P2" : "=w"(d) : "w"(a), "w"(b))
#else
#define PICK_F32(when, unless, d, a, b) PICK("t", "", "vmov", ".f32", when, unless, d, a, b)
#define PICK_F64(when, unless, d, a, b) PICK("w", "P", "vmov", ".f64", when, unless, d, a, b)
#endif

#endif

/* Comparisons with a number that is part of the instruction, as 0 or 1. */
#if defined(__aarch64__)
#define TEST_BY(a, n) __asm__ volatile("cmp %w0, %1" : : "r"(a), "i"(n) : "cc")
#define TRUTH_BY(when, unless, riscv, d, a, n) \
    __asm__("cmp %w1, %2\n\tcset %w0, " when : "=r"(d) : "r"(a), "i"(n) : "cc")
#elif defined(__ARM_ARCH_6M__)
#define TRUTH_BY(when, unless, riscv, d, a, n)                                                                \
    do {                                                                                                      \
        if (LOW(a))                                                                                           \
            TRUTH_OF("", "%1", when, d, a, n);                                                                \
        else                                                                                                  \
            TRUTH_OF("mov r0, %1\n\t", "r0", when, d, a, n);                                                  \
    } while (0)
#define TRUTH_OF(take, taken, when, d, a, n)                                                                  \
    __asm__(take "movs r3, #1\n\tcmp " taken ", %2\n\tb" when ".n 4f\n\tmovs r3, #0\n4:\tmov %0, r3"          \
            : "=r"(d) : "r"(a), "i"(n) : "r0", "r3", "cc")
#elif defined(__arm__)
#define TEST_BY(a, n) __asm__ volatile("cmp %0, %1" : : "r"(a), "i"(n) : "cc")
#define TRUTH_BY(when, unless, riscv, d, a, n)                                                       \
    __asm__("cmp %1, %2\n\tite " when "\n\tmov" when " %0, #1\n\tmov" unless " %0, #0" \
            : "=r"(d) : "r"(a), "i"(n) : "cc")
#elif defined(__riscv)
#define TRUTH_BY(when, unless, riscv, d, a, n) __asm__(riscv : "=r"(d) : "r"(a), "i"(n))
#define LESS_BY "slti %0, %1, %2"
#define NO_LESS_BY LESS_BY "\n\txori %0, %0, 1"
#define EQUAL_BY "xori %0, %1, %2\n\tseqz %0, %0"
#define UNEQUAL_BY "xori %0, %1, %2\n\tsnez %0, %0"
#endif

/* Branches around what one side of a choice needs alone: by the flags of a test, or by a condition or two operands. */
#if defined(__arm__)
#define SKIP(when) __asm__ volatile("b" when ".n cf_target")
#define skip() SKIP("")
#define skipgt() SKIP("gt")
#define skipge() SKIP("ge")
#define skipeq() SKIP("eq")
#define skiple() SKIP("le")
#define skiplt() SKIP("lt")
#define skipne() SKIP("ne")
#elif defined(__riscv)
#define SKIP(kind, a, b) \
    __asm__ volatile(".reloc ., R_RISCV_BRANCH, cf_target\n\t.insn r 0x63, " kind ", 0, x0, %0, %1" : : "r"(a), "r"(b))
#define SKIP_BY_ZERO(kind, a) __asm__ volatile(".reloc ., R_RISCV_BRANCH, cf_target\n\t.insn r 0x63, " kind ", 0, x0, %0, x0" : : "r"(a))
#define skip() __asm__ volatile(".reloc ., R_RISCV_BRANCH, cf_target\n\t.insn r 0x63, 0, 0, x0, x0, x0")
#define skipzero(a) SKIP_BY_ZERO("0", a)
#define skipany(a) SKIP_BY_ZERO("1", a)
#define skipless(a, b) SKIP("4", a, b)
#define skipnoless(a, b) SKIP("5", a, b)
#define skipequal(a, b) SKIP("0", a, b)
#define skipother(a, b) SKIP("1", a, b)
#endif

#if defined(__riscv) || defined(__ARM_ARCH_6M__)
#define SELECT_WITH_BRANCH
#endif

#if defined(__riscv)

/* Branches around the instruction behind them, as words: the assembler would leave their distance to the linker. */
#define SKIP_IF(kind, x, y) ".insn r 0x63, " kind ", 0, x8, " x ", " y "\n\t"
#define SKIP_IF_ZERO(x) SKIP_IF("0", x, "x0")
#define SKIP_UNLESS_ZERO(x) SKIP_IF("1", x, "x0")
#define SKIP_IF_GE(x, y) SKIP_IF("5", x, y)

/* By masks a choice of floats takes seven instructions. */
#define SELECT(kind, move, scratch, d, cond, a, b)                                                                    \
    do {                                                                                                              \
        if (SAME(d, a))                                                                                               \
            __asm__(SKIP_UNLESS_ZERO("%1") move " %0, %2" : "+" kind(d) : "r"(cond), kind(b));                        \
        else if (SAME(d, b))                                                                                          \
            __asm__(SKIP_IF_ZERO("%1") move " %0, %2" : "+" kind(d) : "r"(cond), kind(a));                            \
        else if (SAME(d, cond))                                                                                       \
            __asm__(move " " scratch ", %2\n\t" SKIP_UNLESS_ZERO("%1") move " " scratch ", %3\n\t" move " %0, " scratch \
                    : "=" kind(d) : "r"(cond), kind(a), kind(b) : scratch);                                           \
        else                                                                                                          \
            __asm__(move " %0, %2\n\t" SKIP_UNLESS_ZERO("%1") move " %0, %3"                                          \
                    : "=&" kind(d) : "r"(cond), kind(a), kind(b));                                                    \
    } while (0)
#define SELECT_F32(d, cond, a, b) SELECT("f", "fmv.s", "ft10", d, cond, a, b)
#define SELECT_F64(d, cond, a, b) SELECT("f", "fmv.d", "ft10", d, cond, a, b)
#define SELECT_I32(d, cond, a, b) SELECT("r", "mv", "t0", d, cond, a, b)

#define MOVE "mv"
#define MIN_I32(d, a, b) LEAST_OR_MOST(SKIP_IF_GE("%1", "%0"), SKIP_IF_GE("%2", "%1"), d, a, b)
#define MAX_I32(d, a, b) LEAST_OR_MOST(SKIP_IF_GE("%0", "%1"), SKIP_IF_GE("%1", "%2"), d, a, b)

#elif defined(__ARM_ARCH_6M__)

/* A condition in a low register is compared where it is. */
#define SELECT_I32(d, cond, a, b)                                            \
    do {                                                                     \
        if (LOW(cond))                                                       \
            SELECT_AS("cmp %1, #0\n\t", d, cond, a, b);                      \
        else                                                                 \
            SELECT_AS("mov r0, %1\n\tcmp r0, #0\n\t", d, cond, a, b);        \
    } while (0)
#define SELECT_AS(compared, d, cond, a, b)                                                                       \
    do {                                                                                                         \
        if (SAME(d, a))                                                                                          \
            __asm__(compared "bne.n 4f\n\tmov %0, %2\n4:" : "+r"(d) : "r"(cond), "r"(b) : "r0", "cc");           \
        else if (SAME(d, b))                                                                                     \
            __asm__(compared "beq.n 4f\n\tmov %0, %2\n4:" : "+r"(d) : "r"(cond), "r"(a) : "r0", "cc");           \
        else                                                                                                     \
            __asm__("mov r3, %2\n\t" compared "bne.n 4f\n\tmov r3, %3\n4:\tmov %0, r3"                           \
                    : "=r"(d) : "r"(cond), "r"(a), "r"(b) : "r0", "r3", "cc");                                   \
    } while (0)

/* What lies between a test and its picks keeps the flags but for loads and stores beyond the reach of the shortest code: these
 * stand between KEEP_FLAGS and BACK_FLAGS. */
#define KEEP_FLAGS __asm__ volatile("mrs r12, apsr" : : : "r12")
#define BACK_FLAGS __asm__ volatile("msr apsr_nzcvq, r12" : : : "cc")
#define TEST_I32(a, b) __asm__ volatile("cmp %0, %1" : : "r"(a), "r"(b) : "cc")
#define TEST_BY(a, n)                                                                        \
    do {                                                                                     \
        if (LOW(a))                                                                          \
            __asm__ volatile("cmp %0, %1" : : "l"(a), "i"(n) : "cc");                        \
        else                                                                                 \
            __asm__ volatile("mov r0, %0\n\tcmp r0, %1" : : "r"(a), "i"(n) : "r0", "cc");   \
    } while (0)
#define PICK_I32(when, unless, d, a, b)                                                                            \
    do {                                                                                                           \
        if (SAME(d, a))                                                                                            \
            __asm__ volatile("b" when ".n 4f\n\tmov %0, %1\n4:" : "+r"(d) : "r"(b));                              \
        else if (SAME(d, b))                                                                                       \
            __asm__ volatile("b" unless ".n 4f\n\tmov %0, %1\n4:" : "+r"(d) : "r"(a));                            \
        else                                                                                                       \
            __asm__ volatile("mov %0, %1\n\tb" when ".n 4f\n\tmov %0, %2\n4:" : "=&r"(d) : "r"(a), "r"(b));      \
    } while (0)

#define MOVE "mov"
#define STAYS(when, x, y) "cmp " x ", " y "\n\tb" when ".n 4f\n\t"
#define MIN_I32(d, a, b) LEAST_OR_MOST(STAYS("le", "%0", "%1"), STAYS("le", "%1", "%2"), d, a, b)
#define MAX_I32(d, a, b) LEAST_OR_MOST(STAYS("ge", "%0", "%1"), STAYS("ge", "%1", "%2"), d, a, b)

#else

#define SELECT_F32(d, cond, a, b) d = select_f32(cond, a, b)
#define SELECT_F64(d, cond, a, b) d = select_f64(cond, a, b)
#define SELECT_I32(d, cond, a, b) d = select_i32(cond, a, b)

#endif

#if defined(SELECT_WITH_BRANCH)
/* What is in the register of the result stays there, or a copy of a. */
#define LEAST_OR_MOST(stays, stays_apart, d, a, b)                                                               \
    do {                                                                                                         \
        if (SAME(d, a))                                                                                          \
            __asm__(stays MOVE " %0, %1\n4:" : "+r"(d) : "r"(b) : "cc");                                         \
        else if (SAME(d, b))                                                                                     \
            __asm__(stays MOVE " %0, %1\n4:" : "+r"(d) : "r"(a) : "cc");                                         \
        else                                                                                                     \
            __asm__(MOVE " %0, %1\n\t" stays_apart MOVE " %0, %2\n4:" : "=&r"(d) : "r"(a), "r"(b) : "cc");        \
    } while (0)
#endif

#endif
