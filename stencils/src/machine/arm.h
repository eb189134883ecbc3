/* Ops of the machine on 32-bit Arm, A32 and Thumb-2. */
#ifndef CF_MACHINE_ARM_H
#define CF_MACHINE_ARM_H

#include "../stencil.h"

/* By way of a general register, whose loads and stores reach farther. */
#define LD_F32_MID(d, offset) LD_F32_BY_WAY(d, base, offset)
#define ST_F32_MID(a, offset) ST_F32_BY_WAY(a, base, offset)
#define LDX_F32_MID(d, index, offset) LD_F32_BY_WAY(d, indexed(base, index), offset)
#define STX_F32_MID(a, index, offset) ST_F32_BY_WAY(a, indexed(base, index), offset)
#define LD_F32_BY_WAY(d, at, offset)                                                                    \
    do {                                                                                                \
        register u32 word __asm__("r12") = ld_i32(at, offset);                                          \
        __asm__("vmov %0, %1" : "=t"(d) : "r"(word));                                                   \
    } while (0)
#define ST_F32_BY_WAY(a, at, offset)                                                                       \
    do {                                                                                                \
        register u32 word __asm__("r3");                                                                \
        __asm__("vmov %0, %1" : "=r"(word) : "t"(a));                                                   \
        st_i32(at, offset, word);                                                                       \
    } while (0)

/* Thumb-2: two words at once. A single register of an even number and the next one are a double
 * register, which has a second name here, made of that of the former. */
#define LD2_I32(a, b, offset) __asm__ volatile("ldrd %0, %1, [r10, %2]" : "=r"(a), "=r"(b) : "i"(offset) : "memory")
#define ST2_I32(a, b, offset) __asm__ volatile("strd %0, %1, [r10, %2]" : : "r"(a), "r"(b), "i"(offset) : "memory")
#define LD2_F32(a, offset) __asm__ volatile("vldr both_%0, [r10, %1]" : "=t"(a) : "i"(offset) : "memory")
#define ST2_F32(a, offset) __asm__ volatile("vstr both_%0, [r10, %1]" : : "t"(a), "i"(offset) : "memory")
#define LDP2_I32(a, b, p, offset) __asm__ volatile("ldrd %0, %1, [%2, %3]" : "=r"(a), "=r"(b) : "r"(p), "i"(offset) : "memory")
#define STP2_I32(a, b, p, offset) __asm__ volatile("strd %0, %1, [%2, %3]" : : "r"(a), "r"(b), "r"(p), "i"(offset) : "memory")
#define LDP2_F32(a, p, offset) __asm__ volatile("vldr both_%0, [%1, %2]" : "=t"(a) : "r"(p), "i"(offset) : "memory")
#define STP2_F32(a, p, offset) __asm__ volatile("vstr both_%0, [%1, %2]" : : "t"(a), "r"(p), "i"(offset) : "memory")
#if defined(__thumb2__) && !defined(__SOFTFP__)
__asm__("both_s0 .req d0\n both_s2 .req d1\n both_s4 .req d2\n both_s6 .req d3\n both_s8 .req d4\n both_s10 .req d5\n"
        "both_s12 .req d6\n both_s14 .req d7\n both_s16 .req d8\n both_s18 .req d9\n both_s20 .req d10\n both_s22 .req d11\n"
        "both_s24 .req d12\n both_s26 .req d13\n both_s28 .req d14\n both_s30 .req d15\n");
#endif

/* Base plus index. Hidden from GCC, which would otherwise choose the addressing mode by the
 * offset, and in a register that short Thumb instructions cannot name, so that the length
 * does not depend on the offset either. */
TEXT base_ptr indexed(base_ptr base, u32 index) {
    register base_ptr p __asm__("r12") = base + index;
    __asm__("" : "+r"(p));
    return p;
}

#if __ARM_ARCH >= 7
#define HOLE16(reg) "movw " reg ", #:lower16:cf_hole"
#else
#define HOLE16(reg) HOLE32(reg, "cf_hole", "2")
#endif

#define IMM_SHORT(d) __asm__(HOLE16("%0") : "=r"(d))
#define IMM_NEAR(d, n) __asm__("movs %0, %1" : "=r"(d) : "i"(n) : "cc")
#define IMM(d) __asm__(HOLE32("%0", "cf_hole", "1") : "=r"(d))
#define ADD_SMALL(d, a)                                                                   \
    do {                                                                                  \
        u32 small;                                                                        \
        __asm__(HOLE16("%1") "\n\tadd" WIDE " %0, %2, %1" : "=r"(d), "=&r"(small) : "r"(a)); \
    } while (0)

/* Thumb-2: A32 has no additions of 12 bits. */
#define POINTER(d, a) __asm__("add %0, %1, r10" : "=r"(d) : "r"(a))
#define SCALED(d, a, n) __asm__("add.w %0, r10, %1, lsl %2" : "=r"(d) : "r"(a), "i"(n))
#define LEA(d, n) __asm__("addw %0, r10, %1" : "=r"(d) : "i"(n))
#define LEA_MID(d) __asm__(HOLE16("%0") "\n\tadd" WIDE " %0, %0, r10" : "=r"(d))
#define LEA_FAR(d) __asm__(HOLE32("%0", "cf_hole", "1") "\n\tadd" WIDE " %0, %0, r10" : "=r"(d))
#define ADDP(d, a, n) __asm__("addw %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#define SUBP(d, a, n) __asm__("subw %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#define ADDP_FAR(d, a)                                                            \
    do {                                                                          \
        register u32 far __asm__("r12") = hole32();                               \
        __asm__("add" WIDE " %0, %1, %2" : "=r"(d) : "r"(a), "r"(far));           \
    } while (0)
#define LDP_F32(d, p, offset) __asm__ volatile("vldr %0, [%1, %2]" : "=t"(d) : "r"(p), "i"(offset) : "memory")
#define STP_F32(a, p, offset) __asm__ volatile("vstr %0, [%1, %2]" : : "t"(a), "r"(p), "i"(offset) : "memory")
#define BITS_BY(insn, d, a, n) __asm__(insn WIDE " %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#define LDP_I32(d, p, offset) __asm__ volatile("ldr" WIDE " %0, [%1, %2]" : "=r"(d) : "r"(p), "i"(offset) : "memory")
#define STP_I32(a, p, offset) __asm__ volatile("str" WIDE " %0, [%1, %2]" : : "r"(a), "r"(p), "i"(offset) : "memory")
#define LDP_I32_NEAR(d, p, offset) __asm__ volatile("ldr %0, [%1, %2]" : "=r"(d) : "r"(p), "i"(offset) : "memory")
#define STP_I32_NEAR(a, p, offset) __asm__ volatile("str %0, [%1, %2]" : : "r"(a), "r"(p), "i"(offset) : "memory")
#define LDP_FAR(insn, kind, d, p)                                                                              \
    do {                                                                                                       \
        register u32 far __asm__("r12") = hole32();                                                            \
        __asm__ volatile("add" WIDE " %1, %1, %2\n\t" insn " %0, [%1]" : kind(d), "+r"(far) : "r"(p) : "memory"); \
    } while (0)
#define STP_FAR(insn, kind, a, p)                                                                                   \
    do {                                                                                                            \
        register u32 far __asm__("r12") = hole32();                                                                 \
        __asm__ volatile("add" WIDE " %0, %0, %1\n\t" insn " %2, [%0]" : "+r"(far) : "r"(p), kind(a) : "memory"); \
    } while (0)
#define LDP_F32_FAR(d, p) LDP_FAR("vldr", "=t", d, p)
#define STP_F32_FAR(a, p) STP_FAR("vstr", "t", a, p)
#define LDP_I32_FAR(d, p) LDP_FAR("ldr" WIDE, "=r", d, p)
#define STP_I32_FAR(a, p) STP_FAR("str" WIDE, "r", a, p)

/* Flags of a comparison in a general register: N, at the top, for less, Z below it for equal; none
 * of them for unordered. */
#define FLAGS(insn, d, a, b) __asm__("vcmp.f32 %1, %2\n\tvmrs %0, fpscr" insn : "=r"(d) : "t"(a), "t"(b))
#define FLAGLT(d, a, b) FLAGS("", d, a, b)
#define FLAGLE(d, a, b) FLAGS("\n\torr" WIDE " %0, %0, %0, lsl #1", d, a, b)
#define FLAGEQ(d, a, b) FLAGS("\n\tlsl" WIDE " %0, %0, #1", d, a, b)

/* FPv5. */
#define MAXNUM(d, a, b) __asm__("vmaxnm.f32 %0, %1, %2" : "=t"(d) : "t"(a), "t"(b))
#define MINNUM(d, a, b) __asm__("vminnm.f32 %0, %1, %2" : "=t"(d) : "t"(a), "t"(b))

#define COUNT(d) __asm__ volatile("subs %0, %0, #1\n\tbne.n cf_target" : "+r"(d) : : "cc")
#define COUNT_MID(d) __asm__ volatile("subs %0, %0, #1\n\tbne" WIDE " cf_target" : "+r"(d) : : "cc")
#define COUNT_FAR(d) \
    __asm__ volatile("subs %0, %0, #1\n\tbeq.n 4f\n\tb.w cf_target\n4:" : "+r"(d) : : "cc")

/* In Thumb a short conditional branch reaches 256 bytes, a long one 1 MB, any other 16 MB. */
#if defined(__thumb__)
#define LOOP(d) LOOP_BY(d, HOLE16("%1"), "bne.n cf_target")
#else
#define LOOP(d) LOOP_MID(d)
#endif
#define LOOP_MID(d) LOOP_BY(d, HOLE16("%1"), "bne" WIDE " cf_target")
#define LOOP_FAR(d) LOOP_BY(d, HOLE32("%1", "cf_hole", "3"), "beq.n 4f\n\tb.w cf_target\n4:")
#define LOOP_BY(d, take_step, branch)                                                      \
    do {                                                                                   \
        u32 step, limit;                                                                   \
        __asm__ volatile(take_step "\n\tadd" WIDE " %0, %0, %1\n\t"                        \
                         HOLE32("%2", "cf_hole2", "1") "\n\tcmp" WIDE " %0, %2\n\t" branch \
                         : "+r"(d), "=&r"(step), "=&r"(limit)                              \
                         :                                                                 \
                         : "cc");                                                          \
    } while (0)

TEXT void call_i32(void) { __asm__ volatile("mov r0, r4\n\tmov r1, r5\n\tmov r2, r10\n\tbl cf_target"); }

#if defined(__SOFTFP__)

/* Kernels take and give floats in r0 and r1, which are not allocated. */
TEXT void call(void) {
    __asm__ volatile("mov r0, r4\n\tmov r1, r5\n\tbl cf_target\n\tmov r4, r0\n\tmov r5, r1");
}

#else

TEXT void call(void) { __asm__ volatile("bl cf_target"); }

/* Kernels on doubles take and give them in d0 and d1, which are float registers here. */
TEXT void call_f64(void) {
    __asm__ volatile("vmov.f64 d0, d2\n\tvmov.f64 d1, d3\n\tbl cf_target\n\tvmov.f64 d2, d0\n\tvmov.f64 d3, d1");
}

#endif

#if defined(__thumb__)
#include "machine/bare.h"
#else

/* The frames: base and lr, with the scratch registers that the C ABI preserves; r3 for the
 * alignment, and the integer registers; the float registers that it preserves. */
TEXT void enter(void) { __asm__ volatile("push {r10, lr}\n\tvpush {d14-d15}\n\tmov r10, r0"); }
TEXT void leave(void) { __asm__ volatile("vpop {d14-d15}\n\tpop {r10, pc}"); }
TEXT void save_ints(void) { __asm__ volatile("push {r3-r6, r8, r9}"); }
TEXT void restore_ints(void) { __asm__ volatile("pop {r3-r6, r8, r9}"); }
TEXT void save_floats(void) { __asm__ volatile("vpush {d8-d13}"); }
TEXT void restore_floats(void) { __asm__ volatile("vpop {d8-d13}"); }

#endif

#endif
