/* Runs compiled programs for the tests, as harness.c does and by its protocol, on
 * architectures for which there is a bare compiler without a C library. */
#include "../../stencils/selftest/harness/linux.h"

void run_entry(void *data, uintptr_t entry);
#ifdef __thumb__
/* Entries for Cortex-M (protocol/SPEC.md, section 9) preserve nothing, find the data block in their base register and the return address
 * on the stack. */
__asm__(".text\n"
#ifdef __ARM_ARCH_6M__
        ".cpu cortex-m3\n" /* of this text: what emulates Linux has more than that */
#endif
        ".thumb_func\n.globl run_entry\nrun_entry:\n"
        "push {r3-r11, lr}\n"
#ifdef __ARM_FP
        "vpush {d8-d15}\n"
#endif
        "ldr r3, =1f + 1\n push {r2, r3}\n"
        "mov r10, r0\n mov r4, r0\n bx r1\n"
        "1:\n"
#ifdef __ARM_FP
        "vpop {d8-d15}\n"
#endif
        "pop {r3-r11, pc}\n"
        ".ltorg\n"
#ifdef __ARM_ARCH_6M__
        ".cpu cortex-m0\n"
#endif
);
#elif defined(__riscv)
/* As on Cortex-M; the base register is ahead of the data block. */
#if __riscv_xlen == 64
#define LOAD "ld "
#define STORE "sd "
#define WORD "8"
#else
#define LOAD "lw "
#define STORE "sw "
#define WORD "4"
#endif
#define EACH_SAVED(insn) ".irp n,1,8,9,18,19,20,21,22,23,24,25,26,27\n" insn " x\\n, \\n*" WORD "(sp)\n.endr\n"
__asm__(".text\n.globl run_entry\nrun_entry:\n"
        "addi sp, sp, -256\n" EACH_SAVED(STORE)
        "addi sp, sp, -16\n la t0, 1f\n" STORE "t0, " WORD "(sp)\n"
        "addi s1, a0, 2047\n addi s1, s1, 1\n jr a1\n"
        "1: addi sp, sp, 16\n" EACH_SAVED(LOAD)
        "addi sp, sp, 256\n ret\n");
#else
void run_entry(void *data, uintptr_t entry) { ((void (*)(void *))entry)(data); }
#endif

enum { PAGE = 65536, READ_WRITE = LINUX_READABLE | LINUX_WRITABLE };

static size_t pages(size_t n) { return (n + PAGE - 1) / PAGE * PAGE; }

/* Memory of n bytes that ends, but for alignment to 64, at a page that faults. */
static uint8_t *guarded(size_t n) {
    uint8_t *p = linux_map(pages(n) + 2 * PAGE, 0);
    linux_protect(p + PAGE, pages(n), READ_WRITE);
    return p + PAGE + (pages(n) - (n + 63) / 64 * 64);
}

static void release(uint8_t *p, size_t n) {
    linux_unmap(p - (pages(n) - (n + 63) / 64 * 64) - PAGE, pages(n) + 2 * PAGE);
}

/* The end of the input before a request is the end of the program. */
_Noreturn void serve(void) {
    uint32_t h[7];
    while (linux_read(h, sizeof h)) {
        uint8_t *code = linux_map(pages(h[0]), READ_WRITE);
        uint32_t size = h[2] + h[3];
        uint8_t *data = guarded(size);
        linux_read(code, h[0]);
        if (h[2] > 0) linux_read(data, h[2]);
        linux_protect(code, pages(h[0]), LINUX_READABLE | LINUX_EXECUTABLE);
        linux_sync_code(code, h[0]);
        for (uint32_t i = 0; i < h[4]; i++) run_entry(data, (uintptr_t)(code + h[1]) | LINUX_CODE_BIT);
        linux_write(1, data, size);
        linux_unmap(code, pages(h[0]));
        release(data, size);
    }
    linux_exit(0);
}
