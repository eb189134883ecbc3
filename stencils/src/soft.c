/* Floats as bits, for cores without float registers: what takes a few instructions on
 * integers. Arithmetic and comparisons are calls of the runner's services, whose address
 * is the data word at the offset. Arguments and results travel in the registers of the C
 * calling convention; what lies in those that are allocated is lost. */
#include "stencil.h"

/* Shifted, the bits of infinity are a number that fits every instruction set. */
TEXT u32 soft_sign(u32 a) {
#if defined(__ARM_ARCH_6M__) /* in two registers */
    u32 r;
    __asm__("mov r0, %1\n\tlsls r3, r0, #1\n\tsubs r3, #1\n\tlsrs r3, r3, #24\n\tcmp r3, #255\n\tbeq.n 4f\n\t"
            "lsrs r0, r0, #31\n\tlsls r0, r0, #31\n\tmovs r3, #127\n\tlsls r3, r3, #23\n\torrs r0, r3\n4:\tmov %0, r0"
            : "=r"(r)
            : "r"(a)
            : "r0", "r3", "cc");
    return r;
#else
    u32 ordered_nonzero = (a << 1) - 1u < INFINITY_BITS << 1;
    return pick(ordered_nonzero, (a & SIGN_BIT) | ONE_BITS, a);
#endif
}

/* A test of floats as that of integers of the same order: less than each other where one is a NaN, equal where both are zeros,
 * the other way round where both are negative. */
#if defined(__ARM_ARCH_6M__)
#define TEST_SOFT(a, b)                                                                                        \
    do {                                                                                                       \
        if (LOW(a) && LOW(b))                                                                                  \
            TEST_OF("lsls r0, %0, #1\n\t", "lsls r0, %1, #1\n\t", "lsls r3, %0, #1\n\t", "ands r0, %1\n\t", a, b); \
        else                                                                                                   \
            TEST_OF("mov r0, %0\n\tlsls r0, r0, #1\n\t", "mov r0, %1\n\tlsls r0, r0, #1\n\t",                  \
                    "mov r3, %0\n\tlsls r3, r3, #1\n\t", "mov r3, %1\n\tands r0, r3\n\t", a, b);               \
    } while (0)
#define TEST_OF(twice_a, twice_b, again, both, a, b)                                                                  \
    __asm__ volatile("movs r3, #255\n\tlsls r3, r3, #24\n\t" twice_a "cmp r0, r3\n\tbhi.n 5f\n\t" twice_b               \
                     "cmp r0, r3\n\tbhi.n 5f\n\t" again "orrs r0, r3\n\tbeq.n 7f\n\tmov r0, %0\n\t" both "bmi.n 6f\n\t" \
                     "cmp %0, %1\n\tb.n 7f\n5:\tmovs r0, #0\n\tcmp r0, #1\n\tb.n 7f\n6:\tcmp %1, %0\n7:"                \
                     : : "r"(a), "r"(b) : "r0", "r3", "cc")
#elif defined(__thumb2__)
#define TEST_SOFT(a, b)                                                                                              \
    __asm__ volatile("lsl.w r3, %0, #1\n\tcmp.w r3, #0xff000000\n\tbhi.n 5f\n\tlsl.w r2, %1, #1\n\t"                \
                     "cmp.w r2, #0xff000000\n\tbhi.n 5f\n\torrs.w r3, r3, r2\n\tbeq.n 7f\n\tands.w r3, %0, %1\n\t"   \
                     "bmi.n 6f\n\tcmp.w %0, %1\n\tb.n 7f\n5:\tmovs.n r3, #0\n\tcmp.n r3, #1\n\tb.n 7f\n"            \
                     "6:\tcmp.w %1, %0\n7:"                                                                         \
                     : : "r"(a), "r"(b) : "r2", "r3", "cc")
#endif

TEXT u32 soft_isnan(u32 a) { return a << 1 > INFINITY_BITS << 1; }
TEXT u32 soft_isfinite(u32 a) { return a << 1 < INFINITY_BITS << 1; }
TEXT u32 soft_to_bool(u32 a) { return a << 1 != 0; }

#if defined(__riscv)
/* ra is not named: GCC would save it, and nobody needs it. */
#define CLOBBERED "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "memory"
#define CALL_SERVICE "lw t0, %[at](s1)\n\tjalr t0\n\t"
#define AT(offset) [at] "i"((i32)(offset) - BASE_BIAS)

#define SERVICE1(d, a, offset) \
    __asm__ volatile("mv a0, %1\n\t" CALL_SERVICE "mv %0, a0" : "=r"(d) : "r"(a), AT(offset) : CLOBBERED)
#define SERVICE2(d, a, b, offset) \
    __asm__ volatile("mv a0, %1\n\tmv a1, %2\n\t" CALL_SERVICE "mv %0, a0" : "=r"(d) : "r"(a), "r"(b), AT(offset) : CLOBBERED)
#define SERVICE_NE(d, a, b, offset) \
    __asm__ volatile("mv a0, %1\n\tmv a1, %2\n\t" CALL_SERVICE "xori %0, a0, 1" : "=r"(d) : "r"(a), "r"(b), AT(offset) : CLOBBERED)
#elif defined(__ARM_ARCH_6M__)
/* lr as above. Values that are needed later are not in r1 and r2 then. */
#define CLOBBERED "r0", "r3", "r12", "cc", "memory"
#define CALL_SERVICE "ldr r3, [r4, %[at]]\n\tblx r3\n\t"
#define AT(offset) [at] "i"(offset)

#define SERVICE1(d, a, offset) \
    __asm__ volatile("mov r0, %1\n\t" CALL_SERVICE "mov %0, r0" : "=r"(d) : "r"(a), AT(offset) : CLOBBERED)
#define SERVICE2(d, a, b, offset) \
    __asm__ volatile("mov r0, %1\n\tmov r1, %2\n\t" CALL_SERVICE "mov %0, r0" : "=r"(d) : "r"(a), "r"(b), AT(offset) : CLOBBERED)
#define SERVICE_NE(d, a, b, offset)                                                                        \
    __asm__ volatile("mov r0, %1\n\tmov r1, %2\n\t" CALL_SERVICE "movs r1, #1\n\teors r0, r1\n\tmov %0, r0" \
                     : "=r"(d) : "r"(a), "r"(b), AT(offset) : CLOBBERED)
#define SERVICE3(d, a, b, offset)                                                        \
    __asm__ volatile("mov r0, %1\n\tmov r1, %2\n\tmov r2, r4\n\t" CALL_SERVICE "mov %0, r0" \
                     : "=r"(d) : "r"(a), "r"(b), AT(offset) : CLOBBERED)
#elif defined(__arm__)
#define CLOBBERED "r0", "r1", "r2", "r3", "r12", "cc", "memory" /* lr as above */
#define CALL_SERVICE "ldr" WIDE " r12, [r10, %[at]]\n\tblx r12\n\t"
#define AT(offset) [at] "i"(offset)

#define SERVICE1(d, a, offset) \
    __asm__ volatile("mov r0, %1\n\t" CALL_SERVICE "mov %0, r0" : "=r"(d) : "r"(a), AT(offset) : CLOBBERED)
#define SERVICE2(d, a, b, offset) \
    __asm__ volatile("mov r0, %1\n\tmov r1, %2\n\t" CALL_SERVICE "mov %0, r0" : "=r"(d) : "r"(a), "r"(b), AT(offset) : CLOBBERED)
#define SERVICE_NE(d, a, b, offset) \
    __asm__ volatile("mov r0, %1\n\tmov r1, %2\n\t" CALL_SERVICE "eor" WIDE " %0, r0, #1" : "=r"(d) : "r"(a), "r"(b), AT(offset) : CLOBBERED)
#else
#error "soft.c: how does this architecture call a service?"
#endif
