/* Runs pieces of machine code for the self-test: reads requests from standard input,
 * writes answers to standard output, until the input ends. Freestanding, so that a bare
 * cross compiler will do. The layout of struct state and of the messages is known to
 * harness.go; everything is little endian and naturally aligned.
 *
 *     request  u32 code length | u32 entry | u32 cases | u32 pokes per case
 *              code, filled up to a multiple of 4 bytes
 *              then per case: state | pokes of (u32 offset, u32 word)
 *     answer   per case: state after the run */
#include "linux.h"

#if defined(CF_SERVICES)
#include "services/services.h" /* those of the runner's source */
#endif

#define DATA_WORDS 18432u /* 72 KB: offsets need more than 16 bits */
#define CODE_BYTES 65536u
#define MAX_CHANGES 8u
#define MAX_POKES 256u

struct change {
    uint32_t offset, word;
};

struct state {
    uint64_t gpr[32];    /* by hardware number; the data base is put where base_reg says */
    uint64_t vec[32][2]; /* by hardware number; on x86-64, from 16 on, the upper halves of the YMM registers */
    uint64_t control;    /* floating-point control and status */
    uint64_t base_reg;   /* register that gets the address of the data; the answer has it relative to that */
    uint64_t base_bias;  /* added to that address */
    uint64_t sp_moved;   /* answer: stack pointer after minus before */
    uint64_t changes;    /* answer: data words that differ from before */
    struct change change[MAX_CHANGES];
};

static _Alignas(64) uint32_t data[DATA_WORDS], before[DATA_WORDS];
static struct state current;

/* For the trampoline. */
void *cf_code;
struct state *cf_state = &current;
uint64_t cf_sp, cf_saved[2];
void trampoline(void);

#if defined(__x86_64__)

/* Vector registers, with upper halves in the places of 16 registers more. */
#if defined(CF_YMM)
#define LOAD_VECTOR                         \
    "vmovups 256+16*\\n(%rax), %xmm\\n\n" \
    "vinsertf128 $1, 512+16*\\n(%rax), %ymm\\n, %ymm\\n\n"
#define STORE_VECTOR                        \
    "vmovups %xmm\\n, 256+16*\\n(%rax)\n" \
    "vextractf128 $1, %ymm\\n, 512+16*\\n(%rax)\n"
#define AFTER_VECTORS "vzeroupper\n"
#else
#define LOAD_VECTOR "movups 256+16*\\n(%rax), %xmm\\n\n"
#define STORE_VECTOR "movups %xmm\\n, 256+16*\\n(%rax)\n"
#define AFTER_VECTORS ""
#endif

/* gpr at 0, vec at 256, control at 768. rsp is neither loaded nor stored. */
__asm__(".text\n"
        ".globl trampoline\n"
        "trampoline:\n"
        "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; sub $8, %rsp\n"
        "stmxcsr (%rsp)\n"
        "mov %rsp, cf_sp(%rip)\n"
        "mov cf_state(%rip), %rax\n"
        "ldmxcsr 768(%rax)\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        LOAD_VECTOR
        ".endr\n"
        "mov 8(%rax), %rcx; mov 16(%rax), %rdx; mov 24(%rax), %rbx; mov 40(%rax), %rbp\n"
        "mov 48(%rax), %rsi; mov 56(%rax), %rdi\n"
        ".irp n,8,9,10,11,12,13,14,15\n"
        "mov 8*\\n(%rax), %r\\n\n"
        ".endr\n"
        "mov 0(%rax), %rax\n"
        "call *cf_code(%rip)\n"
        "mov %rax, cf_saved(%rip)\n"
        "mov cf_state(%rip), %rax\n"
        "mov %rcx, 8(%rax); mov %rdx, 16(%rax); mov %rbx, 24(%rax); mov %rbp, 40(%rax)\n"
        "mov %rsi, 48(%rax); mov %rdi, 56(%rax)\n"
        ".irp n,8,9,10,11,12,13,14,15\n"
        "mov %r\\n, 8*\\n(%rax)\n"
        ".endr\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        STORE_VECTOR
        ".endr\n"
        AFTER_VECTORS
        "stmxcsr 768(%rax)\n"
        "mov cf_saved(%rip), %rcx; mov %rcx, 0(%rax)\n"
        "mov %rsp, %rcx; sub cf_sp(%rip), %rcx; mov %rcx, 792(%rax)\n"
        "mov cf_sp(%rip), %rsp\n"
        "ldmxcsr (%rsp)\n"
        "add $8, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "ret\n");

#elif defined(__i386__)

/* Registers are the lower halves of gpr. The address of the data is also on the stack, as
 * an argument of entry code. */
__asm__(".text\n"
        ".globl trampoline\n"
        "trampoline:\n"
        "push %ebp; push %ebx; push %esi; push %edi; sub $12, %esp\n"
        "stmxcsr (%esp)\n"
        "sub $12, %esp; push $data\n"
        "mov %esp, cf_sp\n"
        "mov cf_state, %eax\n"
        "ldmxcsr 768(%eax)\n"
        ".irp n,0,1,2,3,4,5,6,7\n"
        "movups 256+16*\\n(%eax), %xmm\\n\n"
        ".endr\n"
        "mov 8(%eax), %ecx; mov 16(%eax), %edx; mov 24(%eax), %ebx; mov 40(%eax), %ebp\n"
        "mov 48(%eax), %esi; mov 56(%eax), %edi; mov 0(%eax), %eax\n"
        "call *cf_code\n"
        "mov %eax, cf_saved\n"
        "mov cf_state, %eax\n"
        "mov %ecx, 8(%eax); mov %edx, 16(%eax); mov %ebx, 24(%eax); mov %ebp, 40(%eax)\n"
        "mov %esi, 48(%eax); mov %edi, 56(%eax)\n"
        ".irp n,0,1,2,3,4,5,6,7\n"
        "movups %xmm\\n, 256+16*\\n(%eax)\n"
        ".endr\n"
        "stmxcsr 768(%eax)\n"
        "mov cf_saved, %ecx; mov %ecx, 0(%eax)\n"
        "mov %esp, %ecx; sub cf_sp, %ecx; mov %ecx, 792(%eax); sar $31, %ecx; mov %ecx, 796(%eax)\n"
        "mov cf_sp, %esp\n"
        "add $16, %esp\n"
        "ldmxcsr (%esp)\n"
        "add $12, %esp; pop %edi; pop %esi; pop %ebx; pop %ebp\n"
        "ret\n");

#elif defined(__aarch64__)

/* The state stays in x18, which no stencil and no kernel touches; x30 is the link. */
__asm__(".text\n"
        ".globl trampoline\n"
        "trampoline:\n"
        "stp x29, x30, [sp, #-176]!\n"
        "stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n stp x23, x24, [sp, #48]\n"
        "stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
        "mrs x9, fpcr\n str x9, [sp, #160]\n"
        "adrp x18, cf_sp\n mov x9, sp\n str x9, [x18, #:lo12:cf_sp]\n"
        "adrp x18, cf_code\n ldr x30, [x18, #:lo12:cf_code]\n"
        "adrp x18, cf_state\n ldr x18, [x18, #:lo12:cf_state]\n"
        "ldr x9, [x18, #768]\n msr fpcr, x9\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "ldr q\\n, [x18, #256+16*\\n]\n"
        ".endr\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,21,22,23,24,25,26,27,28,29\n"
        "ldr x\\n, [x18, #8*\\n]\n"
        ".endr\n"
        "blr x30\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,21,22,23,24,25,26,27,28,29\n"
        "str x\\n, [x18, #8*\\n]\n"
        ".endr\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "str q\\n, [x18, #256+16*\\n]\n"
        ".endr\n"
        "mrs x9, fpcr\n str x9, [x18, #768]\n"
        "adrp x10, cf_sp\n ldr x10, [x10, #:lo12:cf_sp]\n"
        "mov x9, sp\n sub x9, x9, x10\n str x9, [x18, #792]\n"
        "mov sp, x10\n"
        "ldr x9, [sp, #160]\n msr fpcr, x9\n"
        "ldp d14, d15, [sp, #144]\n ldp d12, d13, [sp, #128]\n ldp d10, d11, [sp, #112]\n ldp d8, d9, [sp, #96]\n"
        "ldp x27, x28, [sp, #80]\n ldp x25, x26, [sp, #64]\n"
        "ldp x23, x24, [sp, #48]\n ldp x21, x22, [sp, #32]\n ldp x19, x20, [sp, #16]\n"
        "ldp x29, x30, [sp], #176\n"
        "ret\n");

#elif defined(__riscv)

#if __riscv_xlen == 64
#define LOAD "ld "
#define STORE "sd "
#define SAVED_BYTES "8*\\n"
#define SECOND_WORD "8"
#else
#define LOAD "lw "
#define STORE "sw "
#define SAVED_BYTES "4*\\n"
#define SECOND_WORD "4"
#endif
#define EACH(list, insn) ".irp n," list "\n" insn "\n.endr\n"
#define FLOATS "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define OTHERS "5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define SAVED "1,3,4,8,9,18,19,20,21,22,23,24,25,26,27"
#if !defined(__riscv_flen)
#define WITH_FLOATS(text) ""
#elif __riscv_flen == 64
#define FLOAT_LOAD "fld "
#define FLOAT_STORE "fsd "
#define WITH_FLOATS(text) text
#else
#define FLOAT_LOAD "flw "
#define FLOAT_STORE "fsw "
#define WITH_FLOATS(text) text
#endif

/* The state stays in tp, which no stencil and no kernel touches, the code's address in
 * gp likewise; x1 is the link, but a stencil that calls a service loses it and returns
 * through the address at 800 of the state. Entries find it on the stack. All that the C code has in registers is saved, fs0 to
 * fs11 excepted, which it does not use. */
__asm__(".text\n"
        ".globl trampoline\n"
        "trampoline:\n"
        "addi sp, sp, -256\n" EACH(SAVED, STORE "x\\n, " SAVED_BYTES "(sp)")
        "addi sp, sp, -16\n la t0, back\n" STORE "t0, " SECOND_WORD "(sp)\n"
        "la t0, cf_sp\n" STORE "sp, 0(t0)\n"
        "la t0, cf_code\n" LOAD "gp, 0(t0)\n"
        "la t0, cf_state\n" LOAD "tp, 0(t0)\n"
        "la t0, back\n" STORE "t0, 800(tp)\n"
        WITH_FLOATS("lw t0, 768(tp)\n fscsr t0\n" EACH(FLOATS, FLOAT_LOAD "f\\n, 256+16*\\n(tp)"))
        EACH(OTHERS, LOAD "x\\n, 8*\\n(tp)")
        "jalr ra, 0(gp)\n"
        "back: " EACH(OTHERS, STORE "x\\n, 8*\\n(tp)")
        WITH_FLOATS(EACH(FLOATS, FLOAT_STORE "f\\n, 256+16*\\n(tp)") "frcsr t0\n sw t0, 768(tp)\n fscsr x0\n")
        "la t0, cf_sp\n" LOAD "t0, 0(t0)\n"
        "sub t1, sp, t0\n" STORE "t1, 792(tp)\n"
        "addi sp, t0, 16\n" EACH(SAVED, LOAD "x\\n, " SAVED_BYTES "(sp)")
        "addi sp, sp, 256\n"
        "ret\n");

#elif defined(__arm__)

#if defined(__ARM_FP)
#define WITH_FLOATS(text) text
#else
#define WITH_FLOATS(text) ""
#endif
#define EACH_FLOAT(insn)                                                                      \
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n" insn \
    ".endr\n"

/* Registers are 32 bits: the lower halves of gpr, the lowest words of vec by number of
 * the single-precision register. Only lr is free before and after the call. A stencil
 * that calls a service loses lr, and returns to the address on the stack. */
__asm__(".text\n"
#if defined(__ARM_ARCH_6M__)
        ".cpu cortex-m3\n" /* of this text only; a core that runs Linux has more than that of the stencils */
#endif
#if defined(__thumb__)
        ".thumb_func\n"
#endif
        ".globl trampoline\n"
        "trampoline:\n"
        "push {r4-r12, lr}\n"
        WITH_FLOATS("vpush {d8-d15}\n vmrs r1, fpscr\n")
        "ldr r2, =back\n push {r1, r2}\n push {r1, r2}\n ldr r1, [sp, #4]\n str r1, [sp]\n"
        "ldr r0, =cf_sp\n mov r1, sp\n str r1, [r0]\n"
        "ldr r0, =cf_state\n ldr r0, [r0]\n"
        WITH_FLOATS("ldr r1, [r0, #768]\n vmsr fpscr, r1\n add r1, r0, #256\n" EACH_FLOAT("vldr s\\n, [r1, #16*\\n]\n"))
        ".irp n,12,11,10,9,8,7,6,5,4,3,2,1,0\n"
        "ldr r\\n, [r0, #8*\\n]\n"
        ".endr\n"
        "ldr lr, =cf_code\n ldr lr, [lr]\n blx lr\n"
#if defined(__thumb__)
        ".thumb_func\n"
#endif
        "back:\n"
        "ldr lr, =cf_state\n ldr lr, [lr]\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12\n"
        "str r\\n, [lr, #8*\\n]\n"
        ".endr\n"
        WITH_FLOATS("add r1, lr, #256\n" EACH_FLOAT("vstr s\\n, [r1, #16*\\n]\n") "vmrs r1, fpscr\n str r1, [lr, #768]\n")
        "ldr r0, =cf_sp\n ldr r0, [r0]\n mov r1, sp\n sub r1, r1, r0\n str r1, [lr, #792]\n"
        "asr r1, r1, #31\n str r1, [lr, #796]\n"
        "mov sp, r0\n"
        "pop {r1, r2}\n pop {r1, r2}\n"
        WITH_FLOATS("vmsr fpscr, r1\n vpop {d8-d15}\n")
        "pop {r4-r12, pc}\n"
        ".ltorg\n"
#if defined(__ARM_ARCH_6M__)
        ".cpu cortex-m0\n"
#endif
);

#else
#error "harness: no trampoline for this architecture"
#endif

_Static_assert(offsetof(struct state, vec) == 256, "known to the trampoline");
_Static_assert(offsetof(struct state, control) == 768, "known to the trampoline");
_Static_assert(offsetof(struct state, sp_moved) == 792, "known to the trampoline");
_Static_assert(offsetof(struct state, changes) == 800, "known to the trampoline, which has its way back there");

/* Cases pass through buffers: system calls and the turns of two processes would take longer than the runs. */
#define BUFFER_WORDS 16384u

static struct {
    uint32_t words[BUFFER_WORDS];
    uint32_t at, end; /* in words */
} input, output;

/* Reads a number of words. */
static void take(void *to, size_t words) {
    for (uint32_t *w = to; words > 0; words--) {
        if (input.at == input.end) {
            size_t got = 0;
            do got += linux_read_some((uint8_t *)input.words + got, sizeof input.words - got);
            while (got % 4 != 0);
            input.at = 0, input.end = (uint32_t)(got / 4);
        }
        *w++ = input.words[input.at++];
    }
}

static void flush(void) {
    linux_write(1, output.words, 4 * (size_t)output.end);
    output.end = 0;
}

static void put(const void *from, size_t words) {
    if (BUFFER_WORDS - output.end < words) flush();
    for (const uint32_t *w = from; words > 0; words--) output.words[output.end++] = *w++;
}

/* The word that stands at an index before any poke; harness.go computes the same. */
static uint32_t pattern(uint32_t index) { return index * 2654435761u ^ 0x3f800000u; }

/* Puts the pattern back where pokes and the run have changed it. */
static void restore(uint32_t i) { data[i] = before[i] = pattern(i); }

/* Lists and undoes the changes of a run. Many words at a time: this is most of the work. */
#define AT_ONCE 16u
_Static_assert(DATA_WORDS % AT_ONCE == 0, "no rest");
static void collect_changes(void) {
    current.changes = 0;
    for (uint32_t i = 0; i < DATA_WORDS; i += AT_ONCE) {
        uint64_t differs = 0;
#pragma GCC unroll 8
        for (uint32_t k = i; k < i + AT_ONCE; k += 2) {
            uint64_t x, y;
            __builtin_memcpy(&x, &data[k], 8);
            __builtin_memcpy(&y, &before[k], 8);
            differs |= x ^ y;
        }
        if (differs == 0) continue;
        for (uint32_t k = i; k < i + AT_ONCE; k++) {
            if (data[k] == before[k]) continue;
            if (current.changes < MAX_CHANGES) current.change[current.changes] = (struct change){4 * k, data[k]};
            current.changes++;
            restore(k);
        }
    }
}

/* The address of a service: what a poke at an odd offset stands for. */
static uint32_t service(uint32_t index) {
#if defined(CF_SERVICES)
    if (index < CF_SERVICE_COUNT) return (uint32_t)cf_services[index];
#endif
    (void)index;
    linux_exit(2);
}

static void run_case(uint32_t pokes) {
    static struct change poke[MAX_POKES];
    take(&current, sizeof current / 4);
    if (pokes > MAX_POKES || current.base_reg >= 32) linux_exit(2);
    take(poke, pokes * sizeof poke[0] / 4);
    for (uint32_t i = 0; i < pokes; i++) {
        uint32_t k = poke[i].offset / 4;
        if (k >= DATA_WORDS) linux_exit(2);
        data[k] = before[k] = (poke[i].offset & 1) != 0 ? service(poke[i].word) : poke[i].word;
    }
    uint64_t base_reg = current.base_reg, base = (uint64_t)(uintptr_t)data + current.base_bias;
    current.gpr[base_reg] = base;
    trampoline();
    current.gpr[base_reg] -= base;
    collect_changes();
    for (uint32_t i = 0; i < pokes; i++) restore(poke[i].offset / 4);
    put(&current, sizeof current / 4);
}

_Noreturn void serve(void) {
    for (uint32_t i = 0; i < DATA_WORDS; i++) restore(i);
    uint8_t *code = linux_map(CODE_BYTES, LINUX_READABLE | LINUX_WRITABLE | LINUX_EXECUTABLE);
    for (;;) {
        uint32_t head[4];
        take(head, sizeof head / 4);
        if (head[0] > CODE_BYTES || head[1] >= head[0]) linux_exit(2);
        take(code, (head[0] + 3) / 4);
        linux_sync_code(code, head[0]);
        cf_code = code + head[1] + LINUX_CODE_BIT;
        for (uint32_t i = 0; i < head[2]; i++) run_case(head[3]);
        flush();
    }
}
