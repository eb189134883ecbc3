/* Floats as bits, for cores without float registers: what takes a few instructions on
 * integers. Arithmetic and comparisons are calls of the runner's services, whose address
 * is the data word at the offset. Arguments and results travel in the registers of the C
 * calling convention, none of which is ever allocated. */
#include "stencil.h"

/* Shifted, the bits of infinity are a number that fits every instruction set. */
TEXT u32 soft_sign(u32 a) {
    u32 ordered_nonzero = (a << 1) - 1u < INFINITY_BITS << 1;
    return pick(ordered_nonzero, (a & SIGN_BIT) | ONE_BITS, a);
}

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
#define CLOBBERED "r0", "r1", "r2", "r3", "r12", "cc", "memory" /* lr as above */
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
