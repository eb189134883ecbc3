/* Ops of the machine on RISC-V. */
#ifndef CF_MACHINE_RISCV_H
#define CF_MACHINE_RISCV_H

#include "../stencil.h"

/* The upper bits of the offset are added to the base, the lower 12 go into the access. As
 * these count from the middle of their range, nothing is carried. */
TEXT base_ptr upper(base_ptr at) {
    base_ptr p;
    __asm__("lui %0, %%hi(cf_hole - 2048)\n\tadd %0, %0, %1" : "=&r"(p) : "r"(at));
    return p;
}
#define LD_F32_FAR(d) __asm__ volatile("flw %0, %%lo(cf_hole - 2048)(%1)" : "=f"(d) : "r"(upper(base)) : "memory")
#define LD_I32_FAR(d) __asm__ volatile("lw %0, %%lo(cf_hole - 2048)(%1)" : "=r"(d) : "r"(upper(base)) : "memory")
#define ST_F32_FAR(a) __asm__ volatile("fsw %0, %%lo(cf_hole - 2048)(%1)" : : "f"(a), "r"(upper(base)) : "memory")
#define ST_I32_FAR(a) __asm__ volatile("sw %0, %%lo(cf_hole - 2048)(%1)" : : "r"(a), "r"(upper(base)) : "memory")

/* Every stencil that writes an integer register leaves it sign-extended (the self-test
 * checks it), and offsets are positive. */
TEXT base_ptr indexed(base_ptr base, u32 index) {
    base_ptr p;
    __asm__("add %0, %1, %2" : "=r"(p) : "r"(base), "r"(index));
    return p;
}

#if __riscv_xlen == 64
#define ADDI "addiw"
#define OF_WORDS "w"
#define ADD "addw"
#define RETURN_ADDRESS "ld ra, 8(sp)"
#else
#define ADDI "addi"
#define OF_WORDS ""
#define ADD "add"
#define RETURN_ADDRESS "lw ra, 4(sp)"
#endif

/* Pointers are ahead by the bias, so that offsets reach twice as far. */
#define POINTER(d, a) __asm__("add %0, %1, %2" : "=r"(d) : "r"(base), "r"(a))
#define LEA(d, n) __asm__("addi %0, %1, %2" : "=r"(d) : "r"(base), "i"(n))
#define LEA_FAR(d) POINTER(d, hole32())
#define ADDP(d, a, n) __asm__("addi %0, %1, %2" : "=r"(d) : "r"(a), "i"(n))
#define ADDP_FAR(d, a) __asm__("add %0, %1, %2" : "=r"(d) : "r"(a), "r"(hole32()))
#define LDP(insn, kind, d, p, offset) \
    __asm__ volatile(insn " %0, %1(%2)" : kind(d) : "i"((offset) - BASE_BIAS), "r"(p) : "memory")
#define STP(insn, kind, a, p, offset) \
    __asm__ volatile(insn " %0, %1(%2)" : : kind(a), "i"((offset) - BASE_BIAS), "r"(p) : "memory")
#define LDP_FAR(insn, kind, d, p)                                                                                   \
    do {                                                                                                            \
        register base_ptr at __asm__("t0");                                                                         \
        __asm__ volatile("lui %1, %%hi(cf_hole - 2048)\n\tadd %1, %1, %2\n\t" insn " %0, %%lo(cf_hole - 2048)(%1)" \
                         : kind(d), "=&r"(at) : "r"(p) : "memory");                                                 \
    } while (0)
#define STP_FAR(insn, kind, a, p)                                                                                   \
    do {                                                                                                            \
        register base_ptr at __asm__("t0");                                                                         \
        __asm__ volatile("lui %0, %%hi(cf_hole - 2048)\n\tadd %0, %0, %1\n\t" insn " %2, %%lo(cf_hole - 2048)(%0)" \
                         : "=&r"(at) : "r"(p), kind(a) : "memory");                                                 \
    } while (0)
#define LDP_F32(d, p, offset) LDP("flw", "=f", d, p, offset)
#define STP_F32(a, p, offset) STP("fsw", "f", a, p, offset)
#define LDP_I32(d, p, offset) LDP("lw", "=r", d, p, offset)
#define STP_I32(a, p, offset) STP("sw", "r", a, p, offset)
#define LDP_F32_FAR(d, p) LDP_FAR("flw", "=f", d, p)
#define STP_F32_FAR(a, p) STP_FAR("fsw", "f", a, p)
#define LDP_I32_FAR(d, p) LDP_FAR("lw", "=r", d, p)
#define STP_I32_FAR(a, p) STP_FAR("sw", "r", a, p)

#define MAXNUM(d, a, b) __asm__("fmax.s %0, %1, %2" : "=f"(d) : "f"(a), "f"(b))
#define MINNUM(d, a, b) __asm__("fmin.s %0, %1, %2" : "=f"(d) : "f"(a), "f"(b))

#define COUNT(d) \
    __asm__ volatile(ADDI " %0, %0, -1\n\t.reloc ., R_RISCV_BRANCH, cf_target\n\t.insn r 0x63, 1, 0, x0, %0, x0" : "+r"(d))
#define COUNT_FAR(d) \
    __asm__ volatile(ADDI " %0, %0, -1\n\t.insn r 0x63, 0, 0, x12, %0, x0\n\ttail cf_target" : "+r"(d) : : "t1")

/* Back until two registers are equal. */
#define UNTIL(d, a) \
    __asm__ volatile(".reloc ., R_RISCV_BRANCH, cf_target\n\t.insn r 0x63, 1, 0, x0, %0, %1" : "+r"(d) : "r"(a))
#define UNTIL_FAR(d, a) __asm__ volatile(".insn r 0x63, 0, 0, x12, %0, %1\n\ttail cf_target" : "+r"(d) : "r"(a) : "t1")

/* Branches by the sign of an operand, ahead in the program. */
#define AHEAD(kind, x, y, a) \
    __asm__ volatile(".reloc ., R_RISCV_BRANCH, cf_target\n\t.insn r 0x63, " kind ", 0, x0, " x ", " y : : "r"(a))
#define skipnegative(a) AHEAD("4", "%0", "x0", a)
#define skipnonegative(a) AHEAD("5", "%0", "x0", a)
#define skippositive(a) AHEAD("4", "x0", "%0", a)
#define skipnopositive(a) AHEAD("5", "x0", "%0", a)

#define IS_ZERO(d, a) __asm__("seqz %0, %1" : "=r"(d) : "r"(a))

/* The rest of a division by a positive number, rounded down: where that of one toward zero is negative, the divisor is added. */
#define REST_IN(to) "rem" OF_WORDS " " to ", %1, %2\n\t.insn r 0x63, 5, 0, x8, " to ", x0\n\tadd " to ", " to ", %2"
#define REST(d, a, b)                                                                          \
    do {                                                                                       \
        if (SAME(d, b))                                                                        \
            __asm__(REST_IN("t0") "\n\tmv %0, t0" : "=r"(d) : "r"(a), "r"(b) : "t0");          \
        else                                                                                   \
            __asm__(REST_IN("%0") : "=r"(d) : "r"(a), "r"(b));                                 \
    } while (0)
#define REST_UP(d, a, b) __asm__("rem" OF_WORDS " %0, %1, %2" : "=r"(d) : "r"(a), "r"(b))

#define IMM_SHORT(d) __asm__("addi %0, x0, %%lo(cf_hole)" : "=r"(d))
#define IMM(d) d = hole32()
#define ADD_SMALL(d, a) __asm__(ADDI " %0, %1, %%lo(cf_hole)" : "=r"(d) : "r"(a))

#define LIMIT "lui %1, %%hi(cf_hole2)\n\txori %1, %1, %%lo(cf_hole2)\n\t"

/* bne d, limit, cf_target: the assembler would make two instructions of it, since it does
 * not know how far the target is. */
#define LOOP(d)                                                                             \
    do {                                                                                    \
        u32 limit;                                                                          \
        __asm__ volatile(ADDI " %0, %0, %%lo(cf_hole)\n\t" LIMIT                            \
                         ".reloc ., R_RISCV_BRANCH, cf_target\n\t.insn r 0x63, 1, 0, x0, %0, %1" \
                         : "+r"(d), "=&r"(limit));                                          \
    } while (0)

/* The same for any step and distance: beq d, limit, to behind the jump. */
#define LOOP_FAR(d)                                                                         \
    do {                                                                                    \
        u32 limit = hole32();                                                               \
        __asm__ volatile(ADD " %0, %0, %1\n\t" LIMIT                                        \
                         ".insn r 0x63, 0, 0, x12, %0, %1\n\ttail cf_target"                \
                         : "+r"(d), "+r"(limit) : : "t1");                                  \
    } while (0)

#if defined(__riscv_flen)
TEXT void call(void) { __asm__ volatile("call cf_target"); }
#else
/* Kernels take and give floats in a0 and a1, which are not allocated. */
TEXT void call(void) {
    __asm__ volatile("mv a0, s2\n\tmv a1, s3\n\tcall cf_target\n\tmv s2, a0\n\tmv s3, a1");
}
#endif

TEXT void call_i32(void) { __asm__ volatile("mv a0, s2\n\tmv a1, s3\n\tmv a2, s1\n\tcall cf_target"); }

/* The ends of entries that are called as protocol/SPEC.md, section 9, has it: they preserve nothing, find the data block by the
 * base register, and the return address in the second of two words on the stack. */
TEXT void enter(void) {}
TEXT void leave(void) { __asm__ volatile(RETURN_ADDRESS "\n\tret"); }
TEXT void save_ints(void) {}
TEXT void restore_ints(void) {}
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}

#endif
