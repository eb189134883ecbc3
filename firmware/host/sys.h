/* Linux system calls, raw: this program has no C library. Results are those of the kernel, -errno on failure. */
#ifndef CF_HOST_SYS_H
#define CF_HOST_SYS_H

#include <asm/unistd.h>
#include <stdint.h>

#if defined(__x86_64__)

static inline long cf_sys6(long nr, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long ret;

    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}

#elif defined(__aarch64__)

static inline long cf_sys6(long nr, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}

#elif defined(__i386__)

static inline long cf_sys6(long nr, long a, long b, long c, long d, long e, long f) {
    long ret;

    /* The sixth argument goes in ebp, which no operand can name. */
    __asm__ volatile("pushl %7\n\tpush %%ebp\n\tmov 4(%%esp), %%ebp\n\tint $0x80\n\tpop %%ebp\n\tadd $4, %%esp"
                     : "=a"(ret)
                     : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), "g"(f)
                     : "memory", "cc");
    return ret;
}

#elif defined(__arm__)

static inline long cf_sys6(long nr, long a, long b, long c, long d, long e, long f) {
    register long r7 __asm__("r7") = nr;
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    register long r3 __asm__("r3") = d;
    register long r4 __asm__("r4") = e;
    register long r5 __asm__("r5") = f;

    __asm__ volatile("svc 0"
                     : "+r"(r0)
                     : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
                     : "memory");
    return r0;
}

#else
#error "the host runner knows x86_64, x86_32, aarch64 and armv7a"
#endif

/* Mapping at offset 0, of which the units differ. */
#if defined(__NR_mmap2)
#define CF_NR_MMAP __NR_mmap2
#else
#define CF_NR_MMAP __NR_mmap
#endif

#define cf_sys0(nr) cf_sys6(nr, 0, 0, 0, 0, 0, 0)
#define cf_sys1(nr, a) cf_sys6(nr, (long)(a), 0, 0, 0, 0, 0)
#define cf_sys2(nr, a, b) cf_sys6(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define cf_sys3(nr, a, b, c) cf_sys6(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define cf_sys4(nr, a, b, c, d) cf_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#endif
