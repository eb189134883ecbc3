/* Runs pieces of machine code for the self-test: reads requests from standard input,
 * writes answers to standard output, until the input ends. Freestanding, so that a bare
 * cross compiler will do. The layout of struct state and of the messages is known to
 * harness.go; everything is little endian and naturally aligned.
 *
 *     request  u32 code length | u32 entry | u32 cases | u32 pokes per case | code
 *              then per case: state | pokes of (u32 offset, u32 word)
 *     answer   per case: state after the run */
#include <stddef.h>
#include <stdint.h>

#define DATA_WORDS 18432u /* 72 KB: offsets need more than 16 bits */
#define CODE_BYTES 65536u
#define MAX_CHANGES 8u
#define MAX_POKES 256u

struct change {
    uint32_t offset, word;
};

struct state {
    uint64_t gpr[32];    /* by hardware number; the data base is put where base_reg says */
    uint64_t vec[32][2]; /* by hardware number */
    uint64_t control;    /* floating-point control and status */
    uint64_t base_reg;   /* register that gets the address of the data; the answer has it relative to that */
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

static long call3(long number, long a, long b, long c) {
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}

static void *map_code(size_t size) {
    register long r10 __asm__("r10") = 0x22; /* private, anonymous */
    register long r8 __asm__("r8") = -1;
    register long r9 __asm__("r9") = 0;
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(9L), "D"(0L), "S"(size), "d"(7L), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return (void *)r;
}

enum { SYS_READ = 0, SYS_WRITE = 1, SYS_EXIT = 60 };

static void sync_code(void *code, size_t size) { (void)code, (void)size; }

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
        "movups 256+16*\\n(%rax), %xmm\\n\n"
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
        "movups %xmm\\n, 256+16*\\n(%rax)\n"
        ".endr\n"
        "stmxcsr 768(%rax)\n"
        "mov cf_saved(%rip), %rcx; mov %rcx, 0(%rax)\n"
        "mov %rsp, %rcx; sub cf_sp(%rip), %rcx; mov %rcx, 784(%rax)\n"
        "mov cf_sp(%rip), %rsp\n"
        "ldmxcsr (%rsp)\n"
        "add $8, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "ret\n"
        ".globl _start\n"
        "_start:\n"
        "and $-16, %rsp; call serve\n");

#elif defined(__aarch64__)

static long call6(long number, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

static long call3(long number, long a, long b, long c) { return call6(number, a, b, c, 0, 0, 0); }

static void *map_code(size_t size) { return (void *)call6(222, 0, (long)size, 7, 0x22, -1, 0); }

enum { SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT = 93 };

static void sync_code(void *code, size_t size) { __builtin___clear_cache(code, (char *)code + size); }

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
        "mov x9, sp\n sub x9, x9, x10\n str x9, [x18, #784]\n"
        "mov sp, x10\n"
        "ldr x9, [sp, #160]\n msr fpcr, x9\n"
        "ldp d14, d15, [sp, #144]\n ldp d12, d13, [sp, #128]\n ldp d10, d11, [sp, #112]\n ldp d8, d9, [sp, #96]\n"
        "ldp x27, x28, [sp, #80]\n ldp x25, x26, [sp, #64]\n"
        "ldp x23, x24, [sp, #48]\n ldp x21, x22, [sp, #32]\n ldp x19, x20, [sp, #16]\n"
        "ldp x29, x30, [sp], #176\n"
        "ret\n"
        ".globl _start\n"
        "_start:\n"
        "mov x29, #0\n bl serve\n");

#else
#error "harness: no trampoline for this architecture"
#endif

_Static_assert(offsetof(struct state, vec) == 256, "known to the trampoline");
_Static_assert(offsetof(struct state, control) == 768, "known to the trampoline");
_Static_assert(offsetof(struct state, sp_moved) == 784, "known to the trampoline");

static _Noreturn void leave(long status) {
    for (;;) call3(SYS_EXIT, status, 0, 0);
}

/* Reads exactly n bytes. The end of the input is the end of the program. */
static void take(void *to, size_t n) {
    unsigned char *p = to;
    while (n > 0) {
        long got = call3(SYS_READ, 0, (long)p, (long)n);
        if (got <= 0) leave(got < 0);
        p += got, n -= (size_t)got;
    }
}

static void give(const void *from, size_t n) {
    const unsigned char *p = from;
    while (n > 0) {
        long put = call3(SYS_WRITE, 1, (long)p, (long)n);
        if (put <= 0) leave(1);
        p += put, n -= (size_t)put;
    }
}

/* The word that stands at an index before any poke; harness.go computes the same. */
static uint32_t pattern(uint32_t index) { return index * 2654435761u ^ 0x3f800000u; }

/* Puts the pattern back where pokes and the run have changed it. */
static void restore(uint32_t i) { data[i] = before[i] = pattern(i); }

/* Lists and undoes the changes of a run. Two words at a time: this is most of the work. */
static void collect_changes(void) {
    current.changes = 0;
    for (uint32_t i = 0; i < DATA_WORDS; i += 2) {
        uint64_t x, y;
        __builtin_memcpy(&x, &data[i], 8);
        __builtin_memcpy(&y, &before[i], 8);
        if (x == y) continue;
        for (uint32_t k = i; k < i + 2; k++) {
            if (data[k] == before[k]) continue;
            if (current.changes < MAX_CHANGES) current.change[current.changes] = (struct change){4 * k, data[k]};
            current.changes++;
            restore(k);
        }
    }
}

static void run_case(uint32_t pokes) {
    static struct change poke[MAX_POKES];
    take(&current, sizeof current);
    if (pokes > MAX_POKES || current.base_reg >= 32) leave(2);
    take(poke, pokes * sizeof poke[0]);
    for (uint32_t i = 0; i < pokes; i++) {
        uint32_t k = poke[i].offset / 4;
        if (k >= DATA_WORDS) leave(2);
        data[k] = before[k] = poke[i].word;
    }
    uint64_t base_reg = current.base_reg;
    current.gpr[base_reg] = (uint64_t)(uintptr_t)data;
    trampoline();
    current.gpr[base_reg] -= (uint64_t)(uintptr_t)data;
    collect_changes();
    for (uint32_t i = 0; i < pokes; i++) restore(poke[i].offset / 4);
    give(&current, sizeof current);
}

_Noreturn void serve(void);

_Noreturn void serve(void) {
    for (uint32_t i = 0; i < DATA_WORDS; i++) restore(i);
    unsigned char *code = map_code(CODE_BYTES);
    for (;;) {
        uint32_t head[4];
        take(head, sizeof head);
        if (head[0] > CODE_BYTES || head[1] >= head[0]) leave(2);
        take(code, head[0]);
        sync_code(code, head[0]);
        cf_code = code + head[1];
        for (uint32_t i = 0; i < head[2]; i++) run_case(head[3]);
    }
}
