/* floor, ceil, trunc and round of doubles from conversions, for cores without a rounding
 * instruction. As round.h, whose comments say why. */
#ifndef CF_ROUND64_H
#define CF_ROUND64_H

#include "double.h"

#if defined(__SSE4_1__)

#include "round.h"

#define ROUNDING64(name, mode)                                       \
    TEXT f64 name(f64 a) {                                           \
        f64 r;                                                       \
        __asm__("roundsd " mode ", %1, %0" : "=x"(r) : "x"(a));    \
        return r;                                                    \
    }
ROUNDING64(floor_f64, ROUND_DOWN)
ROUNDING64(trunc_f64, ROUND_TO_ZERO)
ROUNDING64(ceil_f64, ROUND_UP)
ROUNDING64(round_f64, ROUND_TO_NEAREST)

#elif defined(__x86_64__)

#define NO_FRACTION64 0x433u /* exponent of 2^52: from here on every double is an integer, infinite or NaN */

/* Truncates |a| < 2^63; any other input gives some integer, which callers discard. */
TEXT i64 cut64(f64 a) {
    i64 i;
    __asm__("cvttsd2si %1, %0" : "=r"(i) : "x"(a));
    return i;
}

/* Rounds |a| < 2^63 to the nearest integer, ties to the even one; else as cut64. */
TEXT i64 nearest64(f64 a) {
    i64 i;
    __asm__("cvtsd2si %1, %0" : "=r"(i) : "x"(a));
    return i;
}

/* By shifts: 64-bit masks would need more registers than there are for scratch. */
TEXT f64 rounded_like64(i64 i, f64 a) {
    u64 u = bits64(a);
    u64 r = bits64((f64)i) | (u >> 63 << 63);
    return from_bits64(((u32)(u >> 52) & 0x7ffu) >= NO_FRACTION64 ? u : r);
}

TEXT f64 trunc_f64(f64 a) { return rounded_like64(cut64(a), a); }

TEXT f64 floor_f64(f64 a) {
    i64 i = cut64(a);
    u64 above = (f64)i > a;
    return rounded_like64((i64)((u64)i - above), a);
}

TEXT f64 ceil_f64(f64 a) {
    i64 i = cut64(a);
    u64 below = (f64)i < a;
    return rounded_like64((i64)((u64)i + below), a);
}

TEXT f64 round_f64(f64 a) { return rounded_like64(nearest64(a), a); }

#elif defined(__i386__)

#include "round_sse2.h"

#define WHOLE64 "0x43300000" /* 2^52, upper half */
SSE2_FUNCTION(floor_f64, f64, SSE2_F64(SSE2_FLOOR, WHOLE64))
SSE2_FUNCTION(trunc_f64, f64, SSE2_F64(SSE2_TRUNC, WHOLE64))
SSE2_FUNCTION(ceil_f64, f64, SSE2_F64(SSE2_CEIL, WHOLE64))
SSE2_FUNCTION(round_f64, f64, SSE2_F64(SSE2_ROUND, WHOLE64))

#elif defined(__aarch64__)

TEXT f64 trunc_f64(f64 a) { return __builtin_trunc(a); }
TEXT f64 floor_f64(f64 a) { return __builtin_floor(a); }
TEXT f64 ceil_f64(f64 a) { return __builtin_ceil(a); }

TEXT f64 round_f64(f64 a) {
    f64 r;
    __asm__("frintn %d0, %d1" : "=w"(r) : "w"(a));
    return r;
}

#elif defined(__riscv_flen)

/* As ROUNDED of float.c. */
#define ROUNDED64(name, mode)                                                                     \
    TEXT f64 name(f64 a) {                                                                        \
        f64 r;                                                                                    \
        __asm__("fcvt.l.d t0, %1, " mode "\n\tfmv.x.d t1, %1\n\tfcvt.d.l ft10, t0\n\t"            \
                "slli t2, t1, 1\n\tsrli t2, t2, 53\n\tfsgnj.d ft10, ft10, %1\n\t"                 \
                "sltiu t2, t2, 1075\n\tfmv.x.d t0, ft10\n\tneg t2, t2\n\txor t0, t0, t1\n\t"      \
                "and t0, t0, t2\n\txor t0, t0, t1\n\tfmv.d.x %0, t0"                             \
                : "=f"(r)                                                                         \
                : "f"(a)                                                                          \
                : "t0", "t1", "t2", "ft10");                                                      \
        return r;                                                                                 \
    }
ROUNDED64(floor_f64, "rdn")
ROUNDED64(trunc_f64, "rtz")
ROUNDED64(ceil_f64, "rup")
ROUNDED64(round_f64, "rne")

#elif defined(__arm__) && __ARM_ARCH_PROFILE == 'M' /* FPv5 */

TEXT f64 trunc_f64(f64 a) { return __builtin_trunc(a); }
TEXT f64 floor_f64(f64 a) { return __builtin_floor(a); }
TEXT f64 ceil_f64(f64 a) { return __builtin_ceil(a); }

TEXT f64 round_f64(f64 a) {
    f64 r;
    __asm__("vrintn.f64 %P0, %P1" : "=w"(r) : "w"(a));
    return r;
}

#elif defined(__arm__)

/* VFP converts to integers of 32 bits only. Adding 2^52 to a magnitude below it leaves no
 * place for a fraction, and taking it away again gives the nearest integer, ties to even;
 * the other roundings go back a step of 1 where that was too far. Zeros get the sign of the
 * argument, and from 2^52 on it is the result itself. Instructions are named with their
 * registers, r1 being 0: constants of GCC would lie in memory. */
#define ROUNDED64(name, sign, magnitude, step)                                                    \
    TEXT f64 name(f64 a) {                                                                        \
        f64 r;                                                                                    \
        __asm__("vmov r2, r3, %P1\n\tmov r1, #0\n\tmov r0, #0x43000000\n\torr r0, r0, #0x300000\n\t" \
                sign "vmov d14, r1, r0\n\t" magnitude                                             \
                "vadd.f64 d15, d15, d14\n\tvsub.f64 d15, d15, d14\n\t" step                       \
                "vmov r0, r1, d15\n\tand r12, r3, #0x80000000\n\torr r1, r1, r12\n\t"             \
                "lsl r12, r3, #1\n\tlsr r12, r12, #21\n\tsub r12, r12, #0x400\n\tcmp r12, #0x33\n\t" \
                "movge r0, r2\n\tmovge r1, r3\n\tvmov %P0, r0, r1"                                \
                : "=w"(r)                                                                         \
                : "w"(a)                                                                          \
                : "r0", "r1", "r2", "r3", "r12", "d14", "d15", "cc");                             \
        return r;                                                                                 \
    }
#define LIKE_THE_ARGUMENT "and r12, r3, #0x80000000\n\torr r0, r0, r12\n\t"
/* d15 by 1 where it compares so with the argument, or with its magnitude. */
#define ONE_IN_R0 "mov r0, #0x3f000000\n\torr r0, r0, #0xf00000\n\t"
#define STEP(insn) "vcmp.f64 d15, %P1\n\t" ONE_IN_R0 "vmov d14, r1, r0\n\tvmrs APSR_nzcv, fpscr\n\t" insn ".f64 d15, d15, d14\n\t"
#define STEP_BACK                                                                           \
    "vabs.f64 d14, %P1\n\tvcmp.f64 d15, d14\n\t" ONE_IN_R0 "vmov d14, r1, r0\n\t"           \
    "vmrs APSR_nzcv, fpscr\n\tvsubgt.f64 d15, d15, d14\n\t"

ROUNDED64(floor_f64, LIKE_THE_ARGUMENT, "vmov.f64 d15, %P1\n\t", STEP("vsubgt"))
ROUNDED64(ceil_f64, LIKE_THE_ARGUMENT, "vmov.f64 d15, %P1\n\t", STEP("vaddmi"))
ROUNDED64(round_f64, LIKE_THE_ARGUMENT, "vmov.f64 d15, %P1\n\t", "")
ROUNDED64(trunc_f64, "", "vabs.f64 d15, %P1\n\t", STEP_BACK)

#else
#error "round64.h: no floor, trunc, ceil, round of doubles for this architecture"
#endif

#endif
