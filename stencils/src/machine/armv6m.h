/* Ops of the machine on ARMv6-M: Thumb of 16 bits, no float registers. */
#ifndef CF_MACHINE_ARMV6M_H
#define CF_MACHINE_ARMV6M_H

#include "../stencil.h"

TEXT base_ptr indexed(base_ptr base, u32 index) {
    base_ptr p = base + index;
    __asm__("" : "+l"(p));
    return p;
}

/* Whether an operand is in one of the registers that every instruction can name: i0 to i4. */
#define LOW(x) (#x[1] < '5')

/* A word at an address. Floats are integers here. */
#define LOAD_WORD(d, at, offset) __asm__ volatile("ldr %0, [%1, %2]" : "=l"(d) : "l"(at), "i"(offset) : "memory")

#define LDX_I32(d, index, offset)                            \
    do {                                                     \
        if (__builtin_constant_p(offset))                    \
            LOAD_WORD(d, indexed(base, index), offset);      \
        else                                                 \
            d = ld_i32(indexed(base, index), offset);        \
    } while (0)
#define STX_I32(a, index, offset)                                                                                    \
    do {                                                                                                             \
        if (!__builtin_constant_p(offset))                                                                           \
            __asm__ volatile(HOLE32("r3", "cf_hole", "") "\n\tadd r3, %1\n\tmov r0, %0\n\tstr r0, [r4, r3]"       \
                             : : "r"(a), "r"(index) : "r0", "r3", "cc", "memory");                                   \
        else if (LOW(a) && LOW(index))                                                                               \
            __asm__ volatile("adds r3, %1, r4\n\tstr %0, [r3, %2]"                                                   \
                             : : "l"(a), "l"(index), "i"(offset) : "r3", "cc", "memory");                            \
        else                                                                                                         \
            __asm__ volatile("mov r0, %0\n\tmov r3, %1\n\tadds r3, r3, r4\n\tstr r0, [r3, %2]"                     \
                             : : "r"(a), "r"(index), "i"(offset) : "r0", "r3", "cc", "memory");                      \
    } while (0)

/* Offsets up to 1020: one byte counts words. */
#define BY_WORDS(reg, offset) "movs " reg ", " offset "\n\tlsls " reg ", " reg ", #2\n\t"
TEXT u32 words_in_bytes(u32 words) {
    u32 bytes;
    __asm__(BY_WORDS("%0", "%1") : "=l"(bytes) : "i"(words) : "cc");
    return bytes;
}
#define LD_I32_MID(d, offset) d = ld_i32(base, words_in_bytes((offset) >> 2))
#define ST_I32_MID(a, offset) st_i32(base, words_in_bytes((offset) >> 2), a)
#define LDX_I32_MID(d, index, offset)                                                                                \
    do {                                                                                                             \
        if (LOW(d))                                                                                                  \
            __asm__ volatile(BY_WORDS("r3", "%2") "add r3, %1\n\tldr %0, [r4, r3]"                                   \
                             : "=l"(d) : "r"(index), "i"((offset) >> 2) : "r3", "cc", "memory");                     \
        else                                                                                                         \
            __asm__ volatile(BY_WORDS("r3", "%2") "add r3, %1\n\tldr r0, [r4, r3]\n\tmov %0, r0"                     \
                             : "=r"(d) : "r"(index), "i"((offset) >> 2) : "r0", "r3", "cc", "memory");               \
    } while (0)
#define STX_I32_MID(a, index, offset)                                                                                \
    do {                                                                                                             \
        if (LOW(a))                                                                                                  \
            __asm__ volatile(BY_WORDS("r3", "%2") "add r3, %1\n\tstr %0, [r4, r3]"                                   \
                             : : "l"(a), "r"(index), "i"((offset) >> 2) : "r3", "cc", "memory");                     \
        else                                                                                                         \
            __asm__ volatile("mov r0, %0\n\t" BY_WORDS("r3", "%2") "add r3, %1\n\tstr r0, [r4, r3]"                  \
                             : : "r"(a), "r"(index), "i"((offset) >> 2) : "r0", "r3", "cc", "memory");               \
    } while (0)

#define POINTER(d, a)                                                                             \
    do {                                                                                          \
        if (SAME(d, a))                                                                           \
            __asm__("add %0, r4" : "+r"(d));                                                      \
        else                                                                                      \
            __asm__("mov r0, %1\n\tadd r0, r4\n\tmov %0, r0" : "=r"(d) : "r"(a) : "r0");                \
    } while (0)
#define LEA(d, n)                                                                              \
    do {                                                                                       \
        if (LOW(d))                                                                            \
            __asm__("movs %0, %1\n\tadd %0, r4" : "=l"(d) : "i"(n) : "cc");                    \
        else                                                                                   \
            __asm__("movs r0, %1\n\tadd r0, r4\n\tmov %0, r0" : "=r"(d) : "i"(n) : "r0", "cc"); \
    } while (0)
#define LEA_FAR(d) POINTER(d, hole32())
#define ADDP(d, a, n) MOVED("adds", d, a, n)
#define SUBP(d, a, n) MOVED("subs", d, a, n)
#define MOVED(insn, d, a, n)                                                                                 \
    do {                                                                                                     \
        if (SAME(d, a) && LOW(d))                                                                            \
            __asm__(insn " %0, %1" : "+l"(d) : "i"(n) : "cc");                                               \
        else                                                                                                 \
            __asm__("mov r0, %1\n\t" insn " r0, %2\n\tmov %0, r0" : "=r"(d) : "r"(a), "i"(n) : "r0", "cc"); \
    } while (0)
#define ADDP_FAR(d, a) __asm__(HOLE32("r0", "cf_hole", "") "\n\tadd r0, %1\n\tmov %0, r0" : "=r"(d) : "r"(a) : "r0", "cc")
#define LDP_I32(d, p, offset) LOAD_WORD(d, p, offset)
#define STP_I32(a, p, offset)                                                                                            \
    do {                                                                                                                 \
        if (LOW(a) && LOW(p))                                                                                            \
            __asm__ volatile("str %0, [%1, %2]" : : "l"(a), "l"(p), "i"(offset) : "memory");                             \
        else if (LOW(p))                                                                                                 \
            __asm__ volatile("mov r0, %0\n\tstr r0, [%1, %2]" : : "r"(a), "l"(p), "i"(offset) : "r0", "memory");          \
        else if (LOW(a))                                                                                                 \
            __asm__ volatile("mov r3, %1\n\tstr %0, [r3, %2]" : : "l"(a), "r"(p), "i"(offset) : "r3", "memory");          \
        else                                                                                                             \
            __asm__ volatile("mov r0, %0\n\tmov r3, %1\n\tstr r0, [r3, %2]"                                             \
                             : : "r"(a), "r"(p), "i"(offset) : "r0", "r3", "memory");                                    \
    } while (0)
#define LDP_I32_FAR(d, p)                                                                             \
    __asm__ volatile(HOLE32("r3", "cf_hole", "") "\n\tadd r3, %1\n\tldr r0, [r3]\n\tmov %0, r0"     \
                     : "=r"(d) : "r"(p) : "r0", "r3", "cc", "memory")
#define STP_I32_FAR(a, p)                                                                             \
    __asm__ volatile(HOLE32("r3", "cf_hole", "") "\n\tadd r3, %1\n\tmov r0, %0\n\tstr r0, [r3]"     \
                     : : "r"(a), "r"(p) : "r0", "r3", "cc", "memory")

#define COUNT(d) COUNT_BY(d, "bne.n cf_target")
#define COUNT_FAR(d) COUNT_BY(d, "beq.n 4f\n\tbl cf_target\n4:")
#define COUNT_BY(d, branch)                                                                                          \
    do {                                                                                                             \
        if (LOW(d))                                                                                                  \
            __asm__ volatile("subs %0, %0, #1\n\t" branch : "+l"(d) : : "cc");                                      \
        else                                                                                                         \
            __asm__ volatile("mov r0, %0\n\tsubs r0, r0, #1\n\tmov %0, r0\n\t" branch : "+r"(d) : : "r0", "cc"); \
    } while (0)

#define IMM_SHORT(d)                                            \
    do {                                                        \
        u32 value;                                              \
        __asm__(HOLE8("%0", "cf_hole") : "=l"(value) : : "cc"); \
        d = value;                                              \
    } while (0)
#define IMM(d) d = hole32()
#define ADD_SMALL(d, a)                                                \
    do {                                                               \
        if (SAME(d, a) && LOW(d)) {                                    \
            __asm__("adds %0, #:lower0_7:cf_hole" : "+l"(d) : : "cc"); \
        } else {                                                       \
            u32 value;                                                 \
            __asm__(HOLE8("%0", "cf_hole") : "=l"(value) : : "cc");    \
            d = a + value;                                             \
        }                                                              \
    } while (0)

/* A conditional branch reaches 256 bytes, bl 16 MB; nobody needs lr. */
#define LOOP(d) LOOP_BY(d, HOLE8("r3", "cf_hole"))
#define LOOP_FAR(d) LOOP_BY(d, HOLE32("r3", "cf_hole", ""))
#define LOOP_BY(d, take_step)                                                                        \
    __asm__ volatile("mov r0, %0\n\t" take_step "\n\tadds r0, r0, r3\n\tmov %0, r0\n\t"              \
                     HOLE32("r3", "cf_hole2", "") "\n\tcmp r0, r3\n\tbeq.n 4f\n\tbl cf_target\n4:"   \
                     : "+r"(d)                                                                       \
                     :                                                                               \
                     : "r0", "r3", "cc")

/* Kernels take and give floats in r0 and r1. */
TEXT void call(void) {
    __asm__ volatile("mov r0, r5\n\tmov r1, r6\n\tbl cf_target\n\tmov r5, r0\n\tmov r6, r1");
}

TEXT void call_i32(void) { __asm__ volatile("mov r0, r5\n\tmov r1, r6\n\tmov r2, r4\n\tbl cf_target"); }

#include "machine/bare.h"

#endif
