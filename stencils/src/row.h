/* The row of a table that an index takes: its offset in bytes from the first one, or a pointer,
 * the base and that offset. Of n rows of 1 << s bytes, an index from -n on counts from the end,
 * and one beyond an end takes the row there. ROW_UP is for indices that are not negative.
 *
 * The immediate of these holds n - 1 and s, up to 3. Where a power of two of rows takes fewer
 * instructions (feature "powers") there are forms for 1 << k rows and any s, whose immediate
 * holds k, k - 1, 32 - k - s, s and the low bits of -s. */
#ifndef CF_ROW_H
#define CF_ROW_H

#include "stencil.h"

#define ROW_OPERANDS(d, a, imm) \
    [to] "=r"(d) : [index] "r"(a), [base] "r"(base), [last] "i"((imm) >> 2), [s] "i"((imm)&3)
#define ROW_2_OPERANDS(d, a, imm)                                                                               \
    [to] "=r"(d) : [index] "r"(a), [base] "r"(base), [k] "i"((imm)&31), [k1] "i"(((imm)&31) + 1), [last] "i"((imm) >> 5 & 31), \
                  [drop] "i"(31 - ((imm) >> 5 & 31)), [back] "i"((imm) >> 10 & 31), [s] "i"((imm) >> 15 & 31), \
                  [turn] "i"((imm) >> 20 & 31)

#if defined(__ARM_ARCH_6M__)

/* In the register of the result, or by way of r0 where that is a high one. An index in range goes straight on. */
#define AS_OFFSET(w) ""
#define AS_POINTER(w) "adds " w ", " w ", r4\n\t"
#define ROW(d, a, imm, as) INTO_ROW(TO_ROW, d, a, imm, as)
#define ROW_UP(d, a, imm, as) INTO_ROW(TO_ROW_UP, d, a, imm, as)
#define TO_ROW(w)                                                                                                 \
    "cmp " w ", %[last]\n\tbls.n 5f\n\tmovs r3, %[last]\n\tmvns " w ", " w "\n\tbmi.n 4f\n\tsubs " w ", r3, " w "\n\t" \
    "bpl.n 5f\n\tmovs r3, #0\n4:\tmov " w ", r3\n5:\tlsls " w ", " w ", %[s]\n\t"
#define TO_ROW_UP(w) "cmp " w ", %[last]\n\tble.n 5f\n\tmovs " w ", %[last]\n5:\tlsls " w ", " w ", %[s]\n\t"
#define ROW_NUMBERS(imm) [last] "i"((imm) >> 2), [s] "i"((imm)&3)
#define INTO_ROW(limited, d, a, imm, as)                                                                          \
    do {                                                                                                          \
        if (SAME(d, a) && LOW(d))                                                                                 \
            __asm__(limited("%[to]") as("%[to]") : [to] "+l"(d) : ROW_NUMBERS(imm) : "r3", "cc");                 \
        else if (LOW(d))                                                                                          \
            __asm__("mov %[to], %[index]\n\t" limited("%[to]") as("%[to]")                                        \
                    : [to] "=&l"(d) : [index] "r"(a), ROW_NUMBERS(imm) : "r3", "cc");                             \
        else                                                                                                      \
            __asm__("mov r0, %[index]\n\t" limited("r0") as("r0") "mov %[to], r0"                                 \
                    : [to] "=r"(d) : [index] "r"(a), ROW_NUMBERS(imm) : "r0", "r3", "cc");                        \
    } while (0)

#elif defined(__arm__)

#define AS_OFFSET "lsl.w %[to], r3, %[s]"
#define AS_POINTER "add.w %[to], %[base], r3, lsl %[s]"
#define ROW(d, a, imm, as)                                                                                      \
    __asm__("movw r12, %[last]\n\tand.w r3, r12, %[index], asr #31\n\tadd.w r3, r3, %[index]\n\tsub.w r3, r3, %[index], asr #31\n\t" \
            "bic.w r3, r3, r3, asr #31\n\tcmp.w r3, r12\n\tit gt\n\tmovgt.w r3, r12\n\t" as                     \
            : ROW_OPERANDS(d, a, imm) : "r3", "r12", "cc")
#define ROW_UP(d, a, imm, as)                                                                                   \
    __asm__("movw r3, %[last]\n\tcmp.w %[index], r3\n\tit lt\n\tmovlt.w r3, %[index]\n\t" as                            \
            : ROW_OPERANDS(d, a, imm) : "r3", "cc")
/* The low bits to the top and back from there; the assembler's shift by 32 is written as one by 0. */
#define LSR_BACK "lsr #((%c[back] + 31) %% 32 + 1)"
#define AS_OFFSET_BACK "lsr.w %[to], r3, #((%c[back] + 31) %% 32 + 1)"
#define AS_POINTER_BACK "add.w %[to], %[base], r3, " LSR_BACK
#define ROW_2(d, a, imm, as) __asm__("ssat r3, %[k1], %[index]\n\tlsls r3, r3, %[drop]\n\t" as##_BACK : ROW_2_OPERANDS(d, a, imm) : "r3", "cc")
#define ROW_UP_2(d, a, imm, as) __asm__("usat r3, %[k], %[index]\n\t" as : ROW_2_OPERANDS(d, a, imm) : "r3")

#elif defined(__aarch64__)

#define AS_OFFSET "add %w[to], wzr, w0, lsl %[s]"
#define AS_POINTER "add %x[to], %x[base], w0, uxtw %[s]"
#define ROW(d, a, imm, as)                                                                                      \
    __asm__("movz w1, %[last]\n\tadd w0, %w[index], w1\n\tcmp %w[index], #0\n\tcsinc w0, %w[index], w0, ge\n\t"             \
            "bic w0, w0, w0, asr #31\n\tcmp w0, w1\n\tcsel w0, w0, w1, lt\n\t" as                               \
            : ROW_OPERANDS(d, a, imm) : "x0", "x1", "cc")
#define ROW_UP(d, a, imm, as)                                                                                   \
    __asm__("movz w0, %[last]\n\tcmp %w[index], w0\n\tcsel w0, %w[index], w0, lt\n\t" as                                \
            : ROW_OPERANDS(d, a, imm) : "x0", "cc")
/* Out of range where the bits from k on are not all copies of the sign. */
#define LOW_BITS(to) "ubfm " to ", w0, %[turn], %[last]"
#define AS_OFFSET_OF_LOW_BITS LOW_BITS("%w[to]")
#define AS_POINTER_OF_LOW_BITS LOW_BITS("w0") "\n\tadd %x[to], %x[base], w0, uxtw"
#define ROW_2(d, a, imm, as)                                                                                    \
    __asm__("asr w0, %w[index], #31\n\tcmp w0, %w[index], asr %[k]\n\tcsinv w0, %w[index], w0, eq\n\t" as##_OF_LOW_BITS \
            : ROW_2_OPERANDS(d, a, imm) : "x0", "cc")
#define ROW_UP_2(d, a, imm, as)                                                                                 \
    __asm__("cmp wzr, %w[index], asr %[k]\n\tcsinv w0, %w[index], wzr, eq\n\t" as##_OF_LOW_BITS                    \
            : ROW_2_OPERANDS(d, a, imm) : "x0", "cc")

#elif defined(__riscv)

#define AS_OFFSET "slli %[to], t0, %[s]"
#define AS_POINTER "slli t0, t0, %[s]\n\tadd %[to], %[base], t0"
/* A branch over the next instruction, or two, which only an index beyond an end comes to. */
#define OVER_NEXT_TWO_IF_EQUAL(x, y) ".insn r 0x63, 0, 0, x12, " x ", " y "\n\t"
#define OVER_NEXT_TWO_IF_AT_LEAST(x, y) ".insn r 0x63, 5, 0, x12, " x ", " y "\n\t"
#define OVER_NEXT_IF_AT_LEAST(x, y) ".insn r 0x63, 5, 0, x8, " x ", " y "\n\t"
#define OVER_NEXT_IF_AT_LEAST_UNSIGNED(x, y) ".insn r 0x63, 7, 0, x8, " x ", " y "\n\t"
/* Beyond an end, the last row and, of a negative index, less that many. */
#define ROW(d, a, imm, as)                                                                                      \
    __asm__("srai t1, %[index], 31\n\tandi t2, t1, %[last]\n\tadd t0, t2, %[index]\n\tsub t0, t0, t1\n\t"       \
            "addi t1, x0, %[last]\n\t" OVER_NEXT_IF_AT_LEAST_UNSIGNED("t1", "t0") "sub t0, t1, t2\n\t" as       \
            : ROW_OPERANDS(d, a, imm) : "t0", "t1", "t2")
#define ROW_UP(d, a, imm, as)                                                                                   \
    __asm__("addi t0, %[index], 0\n\taddi t1, x0, %[last]\n\t" OVER_NEXT_IF_AT_LEAST("t1", "t0")               \
            "addi t0, t1, 0\n\t" as : ROW_OPERANDS(d, a, imm) : "t0", "t1")
#if __riscv_xlen == 64
#define WORD "w"
#else
#define WORD ""
#endif
/* The low bits of the index, at the top and back from there; beyond an end, where the bits from k on are not all copies of
 * the sign, those of the last or the first row. */
#define AS_OFFSET_BACK "srli" WORD " %[to], t0, %[back]"
#define AS_POINTER_BACK "srli" WORD " t0, t0, %[back]\n\tadd %[to], %[base], t0"
#define HIGH_PART "srai t1, %[index], %[k]\n\t"
#define UP(of) "slli" WORD " t0, " of ", %[drop]\n\t"
#define ROW_2(d, a, imm, as)                                                                                    \
    __asm__(HIGH_PART "srai t2, %[index], 31\n\t" UP("%[index]") OVER_NEXT_TWO_IF_EQUAL("t1", "t2")             \
            "xori t0, t2, -1\n\t" UP("t0") as##_BACK : ROW_2_OPERANDS(d, a, imm) : "t0", "t1", "t2")
#define ROW_UP_2(d, a, imm, as)                                                                                 \
    __asm__(HIGH_PART UP("%[index]") OVER_NEXT_TWO_IF_AT_LEAST("x0", "t1") "addi t0, x0, -1\n\t" UP("t0") as##_BACK \
            : ROW_2_OPERANDS(d, a, imm) : "t0", "t1")

#elif !defined(__i386__) && !defined(__x86_64__) /* which have selects, and no pointers */
#error "row.h: how does this architecture limit an index?"
#endif

#endif
