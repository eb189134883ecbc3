/* Runs compiled programs for the tests, as harness.c does, on architectures for which
 * there is a bare compiler without a C library: the system calls of Linux, which
 * QEMU's user mode has as well. The protocol is that of harness.c. */
#include <stddef.h>
#include <stdint.h>

typedef void (*entry_fn)(void *data);

enum { PAGE = 65536 };

#if defined(__riscv)

static long call6(long number, long a, long b, long c, long d, long e, long f) {
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = e;
    register long a5 __asm__("a5") = f;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
    return a0;
}

enum { READ = 63, WRITE = 64, EXIT = 93, MMAP = 222, MUNMAP = 215, MPROTECT = 226 };

static void sync_code(uint8_t *code, size_t size) {
    (void)code, (void)size;
    __asm__ volatile(".word 0x0000100f" : : : "memory"); /* fence.i, of whatever version of the ISA */
}

__asm__(".globl _start\n_start:\nandi sp, sp, -16\ncall serve\n");

#elif defined(__arm__)

static long call6(long number, long a, long b, long c, long d, long e, long f) {
    register long r7 __asm__("r7") = number;
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    register long r3 __asm__("r3") = d;
    register long r4 __asm__("r4") = e;
    register long r5 __asm__("r5") = f;
    __asm__ volatile("svc #0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5) : "memory");
    return r0;
}

enum { READ = 3, WRITE = 4, EXIT = 1, MMAP = 192, MUNMAP = 91, MPROTECT = 125 }; /* MMAP is mmap2 */

static void sync_code(uint8_t *code, size_t size) {
    call6(0x0f0002, (long)code, (long)(code + size), 0, 0, 0, 0); /* cacheflush */
}

#if defined(__thumb__)
#define ENTRY_BIT 1 /* says that the code is Thumb */
__asm__(".thumb_func\n");
#endif
__asm__(".globl _start\n_start:\nbl serve\n");

#elif defined(__i386__)

static long call6(long number, long a, long b, long c, long d, long e, long f) {
    long r;
    __asm__ volatile("pushl %7\n\tpush %%ebp\n\tmov 4(%%esp), %%ebp\n\tint $0x80\n\tpop %%ebp\n\tadd $4, %%esp"
                     : "=a"(r)
                     : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), "g"(f)
                     : "memory");
    return r;
}

enum { READ = 3, WRITE = 4, EXIT = 1, MMAP = 192, MUNMAP = 91, MPROTECT = 125 }; /* MMAP is mmap2 */

static void sync_code(uint8_t *code, size_t size) { (void)code, (void)size; }

__asm__(".globl _start\n_start:\nand $-16, %esp\ncall serve\n");

#else
#error "bare.c: how does this architecture call Linux?"
#endif

#if !defined(ENTRY_BIT)
#define ENTRY_BIT 0
#endif

static _Noreturn void fail(const char *message) {
    size_t n = 0;
    while (message[n]) n++;
    call6(WRITE, 2, (long)message, (long)n, 0, 0, 0);
    for (;;) call6(EXIT, 1, 0, 0, 0, 0, 0);
}

/* Reads n bytes; 0 where the input ends before the first. */
static int take(void *to, size_t n) {
    uint8_t *p = to;
    for (size_t left = n; left > 0;) {
        long got = call6(READ, 0, (long)p, (long)left, 0, 0, 0);
        if (got == 0 && left == n) return 0;
        if (got <= 0) fail("harness: input ends early\n");
        p += got, left -= (size_t)got;
    }
    return 1;
}

static void give(const uint8_t *p, size_t n) {
    while (n > 0) {
        long put = call6(WRITE, 1, (long)p, (long)n, 0, 0, 0);
        if (put <= 0) fail("harness: write\n");
        p += put, n -= (size_t)put;
    }
}

static uint8_t *map(size_t size, int protection) {
    long p = call6(MMAP, 0, (long)size, protection, 0x22, -1, 0); /* private, anonymous */
    if (p < 0 && p > -4096) fail("harness: mmap\n");
    return (uint8_t *)p;
}

static size_t pages(size_t n) { return (n + PAGE - 1) / PAGE * PAGE; }

/* Memory of n bytes that ends, but for alignment to 64, at a page that faults. */
static uint8_t *guarded(size_t n) {
    uint8_t *p = map(pages(n) + 2 * PAGE, 0);
    if (call6(MPROTECT, (long)(p + PAGE), (long)pages(n), 3, 0, 0, 0)) fail("harness: mprotect\n");
    return p + PAGE + (pages(n) - (n + 63) / 64 * 64);
}

static void release(uint8_t *p, size_t n) {
    uint8_t *start = p - (pages(n) - (n + 63) / 64 * 64) - PAGE;
    call6(MUNMAP, (long)start, (long)(pages(n) + 2 * PAGE), 0, 0, 0, 0);
}

_Noreturn void serve(void);

_Noreturn void serve(void) {
    uint32_t h[7];
    while (take(h, sizeof h)) {
        uint8_t *code = map(pages(h[0]), 3);
        uint32_t size = h[2] + h[3];
        uint8_t *data = guarded(size);
        take(code, h[0]);
        if (h[2] > 0) take(data, h[2]);
        if (call6(MPROTECT, (long)code, (long)pages(h[0]), 5, 0, 0, 0)) fail("harness: mprotect\n");
        sync_code(code, h[0]);
        entry_fn run = (entry_fn)((uintptr_t)(code + h[1]) | ENTRY_BIT);
        for (uint32_t i = 0; i < h[4]; i++) run(data);
        give(data, size);
        call6(MUNMAP, (long)code, (long)pages(h[0]), 0, 0, 0, 0);
        release(data, size);
    }
    for (;;) call6(EXIT, 0, 0, 0, 0, 0, 0);
}
