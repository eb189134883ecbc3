/* Ops of the machine rather than of the graph: moves, memory, constants, control. */
#include "stencil.h"

TEXT f32 mov_f32(f32 a) { return a; }
TEXT u32 mov_i32(u32 a) { return a; }

TEXT f32 ld_f32(base_ptr base, uintptr_t offset) { return *(const f32_word *)(base + offset - BASE_BIAS); }
TEXT u32 ld_i32(base_ptr base, uintptr_t offset) { return *(const u32_word *)(base + offset - BASE_BIAS); }
TEXT void st_f32(base_ptr base, uintptr_t offset, f32 a) { *(f32_word *)(base + offset - BASE_BIAS) = a; }
TEXT void st_i32(base_ptr base, uintptr_t offset, u32 a) { *(u32_word *)(base + offset - BASE_BIAS) = a; }

/* Words at an offset that is a 32-bit immediate. */
#if defined(__riscv)
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
#else
#define LD_F32_FAR(d) d = ld_f32(base, hole32())
#define LD_I32_FAR(d) d = ld_i32(base, hole32())
#define ST_F32_FAR(a) st_f32(base, hole32(), a)
#define ST_I32_FAR(a) st_i32(base, hole32(), a)
#endif

/* void entry(void *data) is enter, then save_ints and save_floats where the program uses
 * allocatable registers of that class which the C ABI preserves; and all of it back. The
 * caller provides the default floating-point mode: to nearest, subnormals kept, NaNs as
 * they come, no traps. */

/* The macros below write to the pinned register itself, not to a copy: that saves a move,
 * and a loop must have nothing left to do after its branch. */
#if defined(X86)

/* In 64-bit code every stencil that writes an integer register clears its upper half (the
 * self-test checks it), so that it may be used as an index as it is. */
#define LDX_F32(d, index, offset) __asm__("movss cf_hole(" BASE ", " INDEX "1), %0" : "=x"(d) : "r"(index) : "memory")
#define LDX_I32(d, index, offset) __asm__("movl cf_hole(" BASE ", " INDEX "1), %0" : "=r"(d) : "r"(index) : "memory")
#define STX_F32(a, index, offset) __asm__ volatile("movss %0, cf_hole(" BASE ", " INDEX "1)" : : "x"(a), "r"(index) : "memory")
#define STX_I32(a, index, offset) __asm__ volatile("movl %0, cf_hole(" BASE ", " INDEX "1)" : : "r"(a), "r"(index) : "memory")

#define IMM_SHORT(d) IMM(d)
#define IMM(d) __asm__("movl $cf_hole, %0" : "=r"(d))
#define ADD_SMALL(d, a) __asm__("addl $cf_hole, %0" : "+r"(d)) /* tied: d is a */

/* In 64-bit code a prefix gives every register the same length, so that FixBranch need not
 * know which. */
#if defined(__x86_64__)
#define SAME_LENGTH "{rex} "
#else
#define SAME_LENGTH
#endif
#define LOOP(d)                                                                                     \
    __asm__ volatile(SAME_LENGTH "addl $cf_hole, %0\n\t" SAME_LENGTH "cmpl $cf_hole2, %0\n\t" \
                     "jne cf_target"                                                                \
                     : "+r"(d))

TEXT void call(void) { __asm__ volatile("call cf_target"); }

#if defined(__x86_64__)

/* With the integer registers the frame is return address, rbx, r12 to r15 and 8 bytes: with
 * and without them calls find the stack aligned. Nobody preserves float registers. */
TEXT void enter(void) { __asm__ volatile("push %rbx\n\tmov %rdi, %rbx"); }
TEXT void leave(void) { __asm__ volatile("pop %rbx\n\tret"); }
TEXT void save_ints(void) { __asm__ volatile("push %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15"); }
TEXT void restore_ints(void) { __asm__ volatile("pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12"); }
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}

#else

/* The argument is on the stack. The frames, 16 bytes each: return address and ebp; ebx, esi
 * and edi. So calls find the stack aligned. */
TEXT void enter(void) { __asm__ volatile("push %ebp\n\tsub $8, %esp\n\tmov 16(%esp), %ebp"); }
TEXT void leave(void) { __asm__ volatile("add $8, %esp\n\tpop %ebp\n\tret"); }
TEXT void save_ints(void) { __asm__ volatile("push %ebx\n\tpush %esi\n\tpush %edi\n\tsub $4, %esp"); }
TEXT void restore_ints(void) { __asm__ volatile("add $4, %esp\n\tpop %edi\n\tpop %esi\n\tpop %ebx"); }
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}

#endif

#elif defined(__aarch64__)

/* Base plus index. Hidden from GCC, which would otherwise choose the addressing mode by
 * the offset, and with it the length of the code. */
TEXT base_ptr indexed(base_ptr base, u32 index) {
    base_ptr p = base + index;
    __asm__("" : "+r"(p));
    return p;
}

#define IMM_SHORT(d) __asm__("movz %w0, #:abs_g0_nc:cf_hole" : "=r"(d))
#define IMM(d) __asm__("movz %w0, #:abs_g1:cf_hole\n\tmovk %w0, #:abs_g0_nc:cf_hole" : "=r"(d))
#define ADD_SMALL(d, a) __asm__("add %w0, %w1, #:lo12:cf_hole" : "=r"(d) : "r"(a))

#define LOOP(d)                                                                                   \
    do {                                                                                          \
        u32 limit;                                                                                \
        __asm__ volatile("add %w0, %w0, #:lo12:cf_hole\n\t"                                     \
                         "movz %w1, #:abs_g1:cf_hole2\n\tmovk %w1, #:abs_g0_nc:cf_hole2\n\t"  \
                         "cmp %w0, %w1\n\tb.ne cf_target"                                       \
                         : "+r"(d), "=&r"(limit));                                                \
    } while (0)

TEXT void call(void) { __asm__ volatile("bl cf_target"); }

/* The frames: 16 bytes of base and lr, 80 of x20-x28, 64 of d8-d15. */
TEXT void enter(void) { __asm__ volatile("stp x19, x30, [sp, #-16]!\n\tmov x19, x0"); }
TEXT void leave(void) { __asm__ volatile("ldp x19, x30, [sp], #16\n\tret"); }

TEXT void save_ints(void) {
    __asm__ volatile("stp x20, x21, [sp, #-80]!\n\tstp x22, x23, [sp, #16]\n\tstp x24, x25, [sp, #32]\n\t"
                     "stp x26, x27, [sp, #48]\n\tstr x28, [sp, #64]");
}

TEXT void restore_ints(void) {
    __asm__ volatile("ldr x28, [sp, #64]\n\tldp x26, x27, [sp, #48]\n\tldp x24, x25, [sp, #32]\n\t"
                     "ldp x22, x23, [sp, #16]\n\tldp x20, x21, [sp], #80");
}

TEXT void save_floats(void) {
    __asm__ volatile("stp d8, d9, [sp, #-64]!\n\tstp d10, d11, [sp, #16]\n\tstp d12, d13, [sp, #32]\n\tstp d14, d15, [sp, #48]");
}

TEXT void restore_floats(void) {
    __asm__ volatile("ldp d14, d15, [sp, #48]\n\tldp d12, d13, [sp, #32]\n\tldp d10, d11, [sp, #16]\n\tldp d8, d9, [sp], #64");
}

#elif defined(__riscv)

/* Every stencil that writes an integer register leaves it sign-extended (the self-test
 * checks it), and offsets are positive. */
TEXT base_ptr indexed(base_ptr base, u32 index) {
    base_ptr p;
    __asm__("add %0, %1, %2" : "=r"(p) : "r"(base), "r"(index));
    return p;
}

#if __riscv_xlen == 64
#define ADDI "addiw"
#define ADD "addw"
#define SAVE "sd"
#define RESTORE "ld"
#define PLACE(n) #n "*8(sp)"
#else
#define ADDI "addi"
#define ADD "add"
#define SAVE "sw"
#define RESTORE "lw"
#define PLACE(n) #n "*4(sp)"
#endif

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

/* The frames: ra and s1, s2 to s11, fs0 to fs11; each a multiple of 16 bytes. */
#if __riscv_xlen == 64
#define INT_FRAME "80"
#else
#define INT_FRAME "48"
#endif
#define INTS(insn)                                                                            \
    insn " s2, " PLACE(0) "\n\t" insn " s3, " PLACE(1) "\n\t" insn " s4, " PLACE(2) "\n\t"     \
    insn " s5, " PLACE(3) "\n\t" insn " s6, " PLACE(4) "\n\t" insn " s7, " PLACE(5) "\n\t"     \
    insn " s8, " PLACE(6) "\n\t" insn " s9, " PLACE(7) "\n\t" insn " s10, " PLACE(8) "\n\t"    \
    insn " s11, " PLACE(9) "\n\t"

TEXT void enter(void) {
    __asm__ volatile("addi sp, sp, -16\n\t" SAVE " ra, " PLACE(0) "\n\t" SAVE " s1, " PLACE(1) "\n\t"
                     "addi s1, a0, 2047\n\taddi s1, s1, 1"); /* BASE_BIAS */
}

TEXT void leave(void) {
    __asm__ volatile(RESTORE " ra, " PLACE(0) "\n\t" RESTORE " s1, " PLACE(1) "\n\taddi sp, sp, 16\n\tret");
}

TEXT void save_ints(void) { __asm__ volatile("addi sp, sp, -" INT_FRAME "\n\t" INTS(SAVE)); }
TEXT void restore_ints(void) { __asm__ volatile(INTS(RESTORE) "addi sp, sp, " INT_FRAME); }

#if defined(__riscv_flen)
#if __riscv_flen == 64
#define FSAVE "fsd"
#define FRESTORE "fld"
#define FPLACE(n) #n "*8(sp)"
#define FLOAT_FRAME "96"
#else
#define FSAVE "fsw"
#define FRESTORE "flw"
#define FPLACE(n) #n "*4(sp)"
#define FLOAT_FRAME "48"
#endif
#define FLOATS(insn)                                                                          \
    insn " fs0, " FPLACE(0) "\n\t" insn " fs1, " FPLACE(1) "\n\t" insn " fs2, " FPLACE(2) "\n\t" \
    insn " fs3, " FPLACE(3) "\n\t" insn " fs4, " FPLACE(4) "\n\t" insn " fs5, " FPLACE(5) "\n\t" \
    insn " fs6, " FPLACE(6) "\n\t" insn " fs7, " FPLACE(7) "\n\t" insn " fs8, " FPLACE(8) "\n\t" \
    insn " fs9, " FPLACE(9) "\n\t" insn " fs10, " FPLACE(10) "\n\t" insn " fs11, " FPLACE(11) "\n\t"

TEXT void save_floats(void) { __asm__ volatile("addi sp, sp, -" FLOAT_FRAME "\n\t" FLOATS(FSAVE)); }
TEXT void restore_floats(void) { __asm__ volatile(FLOATS(FRESTORE) "addi sp, sp, " FLOAT_FRAME); }
#else
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}
#endif

#elif defined(__ARM_ARCH_6M__)

TEXT base_ptr indexed(base_ptr base, u32 index) {
    base_ptr p = base + index;
    __asm__("" : "+l"(p));
    return p;
}

/* In named registers where the offset is short, so that the code is the same whatever the
 * operands. Floats are integers here. */
#define LDX_I32(d, index, offset)                                                              \
    do {                                                                                       \
        if (__builtin_constant_p(offset))                                                      \
            __asm__("mov r1, %1\n\tadds r1, r1, r4\n\tldr r0, [r1, %2]\n\tmov %0, r0"          \
                    : "=r"(d) : "r"(index), "i"(offset) : "r0", "r1", "cc", "memory");         \
        else                                                                                   \
            d = ld_i32(indexed(base, index), offset);                                          \
    } while (0)
#define STX_I32(a, index, offset)                                                              \
    do {                                                                                       \
        if (__builtin_constant_p(offset))                                                      \
            __asm__ volatile("mov r0, %0\n\tmov r1, %1\n\tadds r1, r1, r4\n\tstr r0, [r1, %2]" \
                             : : "r"(a), "r"(index), "i"(offset) : "r0", "r1", "cc", "memory"); \
        else                                                                                   \
            st_i32(indexed(base, index), offset, a);                                           \
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
#define LDX_I32_MID(d, index, offset)                                                  \
    __asm__(BY_WORDS("r1", "%2") "add r1, %1\n\tldr r0, [r4, r1]\n\tmov %0, r0"         \
            : "=r"(d) : "r"(index), "i"((offset) >> 2) : "r0", "r1", "cc", "memory")
#define STX_I32_MID(a, index, offset)                                                           \
    __asm__ volatile("mov r0, %0\n\t" BY_WORDS("r1", "%2") "add r1, %1\n\tstr r0, [r4, r1]"     \
                     : : "r"(a), "r"(index), "i"((offset) >> 2) : "r0", "r1", "cc", "memory")

#define IMM_SHORT(d)                                            \
    do {                                                        \
        u32 value;                                              \
        __asm__(HOLE8("%0", "cf_hole") : "=l"(value) : : "cc"); \
        d = value;                                              \
    } while (0)
#define IMM(d) d = hole32()
#define ADD_SMALL(d, a)                                         \
    do {                                                        \
        u32 value;                                              \
        __asm__(HOLE8("%0", "cf_hole") : "=l"(value) : : "cc"); \
        d = a + value;                                          \
    } while (0)

/* A conditional branch reaches 256 bytes, bl 16 MB; nobody needs lr. */
#define LOOP(d) LOOP_BY(d, HOLE8("r1", "cf_hole"))
#define LOOP_FAR(d) LOOP_BY(d, HOLE32("r1", "cf_hole", ""))
#define LOOP_BY(d, take_step)                                                                        \
    __asm__ volatile("mov r0, %0\n\t" take_step "\n\tadds r0, r0, r1\n\tmov %0, r0\n\t"              \
                     HOLE32("r1", "cf_hole2", "") "\n\tcmp r0, r1\n\tbeq.n 4f\n\tbl cf_target\n4:"   \
                     : "+r"(d)                                                                       \
                     :                                                                               \
                     : "r0", "r1", "cc")

/* Kernels take and give floats in r0 and r1, which are not allocated. */
TEXT void call(void) {
    __asm__ volatile("mov r0, r5\n\tmov r1, r6\n\tbl cf_target\n\tmov r5, r0\n\tmov r6, r1");
}

/* The frame, 40 bytes: a word for the alignment, r8-r11, r4-r7, lr. All at once: hardly a
 * program does without them. */
TEXT void enter(void) {
    __asm__ volatile("push {r4-r7, lr}\n\tmov r1, r9\n\tmov r2, r10\n\tmov r3, r11\n\tpush {r1-r3}\n\t"
                     "mov r3, r8\n\tpush {r2, r3}\n\tmov r4, r0");
}

TEXT void leave(void) {
    __asm__ volatile("pop {r2, r3}\n\tmov r8, r3\n\tpop {r1-r3}\n\tmov r9, r1\n\tmov r10, r2\n\tmov r11, r3\n\t"
                     "pop {r4-r7, pc}");
}

TEXT void save_ints(void) {}
TEXT void restore_ints(void) {}
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}

#elif defined(__arm__)

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

/* Base plus index, hidden from GCC as above, and in a register that short Thumb
 * instructions cannot name, so that the length does not depend on the offset either. */
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
#define IMM(d) __asm__(HOLE32("%0", "cf_hole", "1") : "=r"(d))
#define ADD_SMALL(d, a)                                                                   \
    do {                                                                                  \
        u32 small;                                                                        \
        __asm__(HOLE16("%1") "\n\tadd" WIDE " %0, %2, %1" : "=r"(d), "=&r"(small) : "r"(a)); \
    } while (0)

/* In Thumb a conditional branch reaches 1 MB, any other 16 MB. */
#define LOOP(d) LOOP_BY(d, HOLE16("%1"), "bne" WIDE " cf_target")
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

#if defined(__SOFTFP__)

/* Kernels take and give floats in r0 and r1, which are not allocated. */
TEXT void call(void) {
    __asm__ volatile("mov r0, r4\n\tmov r1, r5\n\tbl cf_target\n\tmov r4, r0\n\tmov r5, r1");
}

/* The frame, 40 bytes: r3 for the alignment, r4-r11, lr. All at once, as on Cortex-M0. */
TEXT void enter(void) { __asm__ volatile("push {r3-r11, lr}\n\tmov r10, r0"); }
TEXT void leave(void) { __asm__ volatile("pop {r3-r11, pc}"); }
TEXT void save_ints(void) {}
TEXT void restore_ints(void) {}
TEXT void save_floats(void) {}
TEXT void restore_floats(void) {}

#else

TEXT void call(void) { __asm__ volatile("bl cf_target"); }

/* Kernels on doubles take and give them in d0 and d1, which are float registers here. */
TEXT void call_f64(void) {
    __asm__ volatile("vmov.f64 d0, d2\n\tvmov.f64 d1, d3\n\tbl cf_target\n\tvmov.f64 d2, d0\n\tvmov.f64 d3, d1");
}

/* The frames: base and lr, with the scratch registers that the C ABI preserves; r3 for the
 * alignment, r4, r5, r6, r8, r9; the float registers that it preserves. */
#if SINGLE_ONLY
#define SCRATCH_SAVE ""
#define SCRATCH_RESTORE ""
#define FLOATS "{d8-d15}"
#else
#define SCRATCH_SAVE "vpush {d14-d15}\n\t"
#define SCRATCH_RESTORE "vpop {d14-d15}\n\t"
#define FLOATS "{d8-d13}"
#endif

TEXT void enter(void) { __asm__ volatile("push {r10, lr}\n\t" SCRATCH_SAVE "mov r10, r0"); }
TEXT void leave(void) { __asm__ volatile(SCRATCH_RESTORE "pop {r10, pc}"); }
TEXT void save_ints(void) { __asm__ volatile("push {r3-r6, r8, r9}"); }
TEXT void restore_ints(void) { __asm__ volatile("pop {r3-r6, r8, r9}"); }
TEXT void save_floats(void) { __asm__ volatile("vpush " FLOATS); }
TEXT void restore_floats(void) { __asm__ volatile("vpop " FLOATS); }

#endif

#else
#error "machine.c: no immediates, loop, call, enter, leave for this architecture"
#endif

#if !defined(LDX_I32)
#define LDX_F32(d, index, offset) d = ld_f32(indexed(base, index), offset)
#define LDX_I32(d, index, offset) d = ld_i32(indexed(base, index), offset)
#define STX_F32(a, index, offset) st_f32(indexed(base, index), offset, a)
#define STX_I32(a, index, offset) st_i32(indexed(base, index), offset, a)
#endif
