/* System calls of Linux for test programs without a C library, so that a bare cross
 * compiler will do: natively, or as QEMU's user mode has them. A program defines `serve`,
 * which does not return. Nothing here is for more than one thread. */
#ifndef CF_LINUX_H
#define CF_LINUX_H

#include <stddef.h>
#include <stdint.h>

_Noreturn void serve(void);

/* LINUX_CODE_BIT is set in the address of a function to call. */
#if defined(__thumb__)
#define LINUX_CODE_BIT 1u
#else
#define LINUX_CODE_BIT 0u
#endif

/* System call numbers. AArch64 and RISC-V have the kernel's generic table; those of 32-bit
 * x86 and Arm are the same for what is used here. */
#if defined(__aarch64__) || defined(__riscv)
enum { LINUX_READ = 63, LINUX_WRITE = 64, LINUX_EXIT = 93, LINUX_MMAP = 222, LINUX_MUNMAP = 215, LINUX_MPROTECT = 226 };
#elif defined(__x86_64__)
enum { LINUX_READ = 0, LINUX_WRITE = 1, LINUX_EXIT = 60, LINUX_MMAP = 9, LINUX_MUNMAP = 11, LINUX_MPROTECT = 10 };
#elif defined(__i386__) || defined(__arm__)
enum { LINUX_READ = 3, LINUX_WRITE = 4, LINUX_EXIT = 1, LINUX_MMAP = 192 /* mmap2 */, LINUX_MUNMAP = 91, LINUX_MPROTECT = 125 };
#endif

#if defined(__x86_64__)

static inline long linux_call(long number, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return r;
}

__asm__(".text\n.globl _start\n_start:\nand $-16, %rsp\ncall serve\n");

#elif defined(__i386__)

static inline long linux_call(long number, long a, long b, long c, long d, long e, long f) {
    long r;
    __asm__ volatile("pushl %7\n\tpush %%ebp\n\tmov 4(%%esp), %%ebp\n\tint $0x80\n\tpop %%ebp\n\tadd $4, %%esp"
                     : "=a"(r)
                     : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), "g"(f)
                     : "memory");
    return r;
}

__asm__(".text\n.globl _start\n_start:\nand $-16, %esp\ncall serve\n");

#elif defined(__aarch64__)

static inline long linux_call(long number, long a, long b, long c, long d, long e, long f) {
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

__asm__(".text\n.globl _start\n_start:\nmov x29, #0\nbl serve\n");

#elif defined(__riscv)

static inline long linux_call(long number, long a, long b, long c, long d, long e, long f) {
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

__asm__(".text\n.globl _start\n_start:\nandi sp, sp, -16\ncall serve\n");

#elif defined(__arm__)

static inline long linux_call(long number, long a, long b, long c, long d, long e, long f) {
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

#if defined(__thumb__)
__asm__(".text\n.thumb_func\n.globl _start\n_start:\nbl serve\n");
#else
__asm__(".text\n.globl _start\n_start:\nbl serve\n");
#endif

#else
#error "linux.h: how does this architecture call Linux?"
#endif

static inline _Noreturn void linux_exit(int status) {
    for (;;) linux_call(LINUX_EXIT, status, 0, 0, 0, 0, 0);
}

/* Writes all of n bytes to descriptor 1 or 2. */
static inline void linux_write(int descriptor, const void *from, size_t n) {
    const uint8_t *p = from;
    while (n > 0) {
        long put = linux_call(LINUX_WRITE, descriptor, (long)p, (long)n, 0, 0, 0);
        if (put <= 0) linux_exit(3);
        p += put, n -= (size_t)put;
    }
}

static inline _Noreturn void linux_fail(const char *message) {
    size_t n = 0;
    while (message[n]) n++;
    linux_write(2, message, n);
    linux_exit(2);
}

/* Reads exactly n bytes of the input; returns 0 where it ends before the first. */
static inline int linux_read(void *to, size_t n) {
    uint8_t *p = to;
    for (size_t left = n; left > 0;) {
        long got = linux_call(LINUX_READ, 0, (long)p, (long)left, 0, 0, 0);
        if (got == 0 && left == n) return 0;
        if (got <= 0) linux_fail("the input ends early\n");
        p += got, left -= (size_t)got;
    }
    return 1;
}

/* Reads what is there, at most n bytes; the end of the input is the end of the program. */
static inline size_t linux_read_some(void *to, size_t n) {
    const long got = linux_call(LINUX_READ, 0, (long)to, (long)n, 0, 0, 0);
    if (got <= 0) linux_exit(got == 0 ? 0 : 3);
    return (size_t)got;
}

enum { LINUX_READABLE = 1, LINUX_WRITABLE = 2, LINUX_EXECUTABLE = 4 };

/* New memory, or the end of the program. */
static inline void *linux_map(size_t size, int protection) {
    long p = linux_call(LINUX_MMAP, 0, (long)size, protection, 0x22, -1, 0); /* private, anonymous */
    if (p < 0 && p > -4096) linux_fail("mmap\n");
    return (void *)p;
}

static inline void linux_unmap(void *p, size_t size) {
    linux_call(LINUX_MUNMAP, (long)p, (long)size, 0, 0, 0, 0);
}

static inline void linux_protect(void *p, size_t size, int protection) {
    if (linux_call(LINUX_MPROTECT, (long)p, (long)size, protection, 0, 0, 0) != 0) linux_fail("mprotect\n");
}

/* To be called when code has been written to memory. */
static inline void linux_sync_code(void *code, size_t size) {
#if defined(__aarch64__)
    __builtin___clear_cache(code, (char *)code + size);
#elif defined(__arm__)
    linux_call(0x0f0002, (long)code, (long)code + (long)size, 0, 0, 0, 0); /* cacheflush */
#elif defined(__riscv)
    (void)code, (void)size;
    __asm__ volatile(".word 0x0000100f" : : : "memory"); /* fence.i, of whatever version of the ISA */
#else
    (void)code, (void)size;
#endif
}

#endif
