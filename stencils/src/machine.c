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

/* void entry(void *data). The frame: return address, six saved registers, MXCSR of
 * the caller and ours in 8 bytes: 64 in all, so calls find the stack aligned. */
TEXT void enter(void) {
    __asm__ volatile("push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\t"
                     "sub $8, %rsp\n\t"
                     "stmxcsr (%rsp)\n\t"
                     "movl $0x1f80, 4(%rsp)\n\t" /* all exceptions masked, to nearest, no flush to zero */
                     "ldmxcsr 4(%rsp)\n\t"
                     "mov %rdi, %rbx");
}

TEXT void leave(void) {
    __asm__ volatile("ldmxcsr (%rsp)\n\t"
                     "add $8, %rsp\n\t"
                     "pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n\t"
                     "ret");
}

#else

/* void entry(void *data), the argument on the stack. The frame: return address, four saved
 * registers, MXCSR of the caller and ours in 12 bytes: 32 in all, so calls find the stack
 * aligned. */
TEXT void enter(void) {
    __asm__ volatile("push %ebp\n\tpush %ebx\n\tpush %esi\n\tpush %edi\n\t"
                     "sub $12, %esp\n\t"
                     "stmxcsr (%esp)\n\t"
                     "movl $0x1f80, 4(%esp)\n\t" /* all exceptions masked, to nearest, no flush to zero */
                     "ldmxcsr 4(%esp)\n\t"
                     "mov 32(%esp), %ebp");
}

TEXT void leave(void) {
    __asm__ volatile("ldmxcsr (%esp)\n\t"
                     "add $12, %esp\n\t"
                     "pop %edi\n\tpop %esi\n\tpop %ebx\n\tpop %ebp\n\t"
                     "ret");
}

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

/* void entry(void *data). The frame, 176 bytes: fp lr, x19-x28, d8-d15, FPCR of the caller. */
TEXT void enter(void) {
    __asm__ volatile("stp x29, x30, [sp, #-176]!\n\t"
                     "stp x19, x20, [sp, #16]\n\tstp x21, x22, [sp, #32]\n\tstp x23, x24, [sp, #48]\n\t"
                     "stp x25, x26, [sp, #64]\n\tstp x27, x28, [sp, #80]\n\t"
                     "stp d8, d9, [sp, #96]\n\tstp d10, d11, [sp, #112]\n\tstp d12, d13, [sp, #128]\n\tstp d14, d15, [sp, #144]\n\t"
                     "mrs x9, fpcr\n\tstr x9, [sp, #160]\n\t"
                     "msr fpcr, xzr\n\t" /* to nearest, no flush to zero, NaN payloads as they come */
                     "mov x19, x0");
}

TEXT void leave(void) {
    __asm__ volatile("ldr x9, [sp, #160]\n\tmsr fpcr, x9\n\t"
                     "ldp d14, d15, [sp, #144]\n\tldp d12, d13, [sp, #128]\n\tldp d10, d11, [sp, #112]\n\tldp d8, d9, [sp, #96]\n\t"
                     "ldp x27, x28, [sp, #80]\n\tldp x25, x26, [sp, #64]\n\t"
                     "ldp x23, x24, [sp, #48]\n\tldp x21, x22, [sp, #32]\n\tldp x19, x20, [sp, #16]\n\t"
                     "ldp x29, x30, [sp], #176\n\t"
                     "ret");
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

/* void entry(void *data). The frame: ra, s1 to s11, and where there are float registers
 * fs0 to fs11 and the fcsr of the caller; 16-byte aligned. */
#define SAVED(insn)                                                                            \
    insn " ra, " PLACE(0) "\n\t" insn " s1, " PLACE(1) "\n\t" insn " s2, " PLACE(2) "\n\t"     \
    insn " s3, " PLACE(3) "\n\t" insn " s4, " PLACE(4) "\n\t" insn " s5, " PLACE(5) "\n\t"     \
    insn " s6, " PLACE(6) "\n\t" insn " s7, " PLACE(7) "\n\t" insn " s8, " PLACE(8) "\n\t"     \
    insn " s9, " PLACE(9) "\n\t" insn " s10, " PLACE(10) "\n\t" insn " s11, " PLACE(11) "\n\t"

#if defined(__riscv_flen)
#if __riscv_flen == 64
#define FSAVE "fsd"
#define FRESTORE "fld"
#define FPLACE(n) "(96+" #n "*8)(sp)"
#define FRAME "208"
#else
#define FSAVE "fsw"
#define FRESTORE "flw"
#define FPLACE(n) "(48+" #n "*4)(sp)"
#define FRAME "112"
#endif
#define FSAVED(insn)                                                                           \
    insn " fs0, " FPLACE(0) "\n\t" insn " fs1, " FPLACE(1) "\n\t" insn " fs2, " FPLACE(2) "\n\t" \
    insn " fs3, " FPLACE(3) "\n\t" insn " fs4, " FPLACE(4) "\n\t" insn " fs5, " FPLACE(5) "\n\t" \
    insn " fs6, " FPLACE(6) "\n\t" insn " fs7, " FPLACE(7) "\n\t" insn " fs8, " FPLACE(8) "\n\t" \
    insn " fs9, " FPLACE(9) "\n\t" insn " fs10, " FPLACE(10) "\n\t" insn " fs11, " FPLACE(11) "\n\t"
#define FLOAT_ENTER                                                                  \
    FSAVED(FSAVE) "fsrmi t0, 0\n\t" /* to nearest; the old mode goes to the frame */ \
    SAVE " t0, (" FRAME "-8)(sp)\n\t"
#define FLOAT_LEAVE RESTORE " t0, (" FRAME "-8)(sp)\n\tfsrm t0\n\t" FSAVED(FRESTORE)
#else
#define FRAME "48"
#define FLOAT_ENTER ""
#define FLOAT_LEAVE ""
#endif

TEXT void enter(void) {
    __asm__ volatile("addi sp, sp, -" FRAME "\n\t" SAVED(SAVE) FLOAT_ENTER
                     "addi s1, a0, 2047\n\taddi s1, s1, 1"); /* BASE_BIAS */
}

TEXT void leave(void) {
    __asm__ volatile(FLOAT_LEAVE SAVED(RESTORE) "addi sp, sp, " FRAME "\n\tret");
}

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

/* void entry(void *data). The frame, 40 bytes: a word for the alignment, r8-r11, r4-r7, lr. */
TEXT void enter(void) {
    __asm__ volatile("push {r4-r7, lr}\n\tmov r1, r9\n\tmov r2, r10\n\tmov r3, r11\n\tpush {r1-r3}\n\t"
                     "mov r3, r8\n\tpush {r2, r3}\n\tmov r4, r0");
}

TEXT void leave(void) {
    __asm__ volatile("pop {r2, r3}\n\tmov r8, r3\n\tpop {r1-r3}\n\tmov r9, r1\n\tmov r10, r2\n\tmov r11, r3\n\t"
                     "pop {r4-r7, pc}");
}

#elif defined(__arm__)

/* By way of a general register, whose loads and stores reach farther. */
#define LD_F32_MID(d, at, offset)                                                                       \
    do {                                                                                                \
        register u32 word __asm__("r12") = ld_i32(at, offset);                                          \
        __asm__("vmov %0, %1" : "=t"(d) : "r"(word));                                                   \
    } while (0)
#define ST_F32_MID(a, at, offset)                                                                       \
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

/* void entry(void *data). The frame, 40 bytes: r3 for the alignment, r4-r11, lr. */
TEXT void enter(void) { __asm__ volatile("push {r3-r11, lr}\n\tmov r10, r0"); }
TEXT void leave(void) { __asm__ volatile("pop {r3-r11, pc}"); }

#else

TEXT void call(void) { __asm__ volatile("bl cf_target"); }

/* Kernels on doubles take and give them in d0 and d1, which are float registers here. */
TEXT void call_f64(void) {
    __asm__ volatile("vmov.f64 d0, d2\n\tvmov.f64 d1, d3\n\tbl cf_target\n\tvmov.f64 d2, d0\n\tvmov.f64 d3, d1");
}

/* void entry(void *data). The frame, 104 bytes: d8-d15, FPSCR of the caller in the place
 * of r3, r4-r11, lr. The program has rounding to nearest, no flush to zero, and NaNs as
 * they come; on Cortex-M the other fields belong to loops with tails and stay. */
#if __ARM_ARCH_PROFILE == 'M'
#define NORMAL_MODE(reg) "bic " reg ", " reg ", #0x07c00000\n\t"
#else
#define NORMAL_MODE(reg) "mov " reg ", #0\n\t"
#endif

TEXT void enter(void) {
    __asm__ volatile("push {r3-r11, lr}\n\tvpush {d8-d15}\n\t"
                     "vmrs r3, fpscr\n\tstr r3, [sp, #64]\n\t" NORMAL_MODE("r3")
                     "vmsr fpscr, r3\n\t"
                     "mov r10, r0");
}

TEXT void leave(void) {
    __asm__ volatile("ldr r3, [sp, #64]\n\tvmsr fpscr, r3\n\t"
                     "vpop {d8-d15}\n\tpop {r3-r11, pc}");
}

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
