/*
 * The seccomp filters of the runner and of its child. What is not on the list raises SIGSYS, which is a fault of the program like
 * any other. Only calls from the runner's own text pass at all: a program has no system calls of its own, and those that it finds
 * there are the few that the child needs.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/gpio.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/signal.h>
#include <stddef.h>

#include "drivers.h"
#include "host.h"
#include "sys.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCH AUDIT_ARCH_I386
#elif defined(__arm__)
#define ARCH AUDIT_ARCH_ARM
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

extern const char __executable_start[]; /* from the linker: start and end of the runner's text, below 4 GiB */
extern const char etext[];

#define FIELD(name) ((uint32_t)offsetof(struct seccomp_data, name))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define TRAP_UNLESS(test, k) BPF_JUMP(BPF_JMP | (test) | BPF_K, k, 1, 0), RETURN(SECCOMP_RET_TRAP)
#define TRAP_IF(test, k) BPF_JUMP(BPF_JMP | (test) | BPF_K, k, 0, 1), RETURN(SECCOMP_RET_TRAP)
#define ALLOW_IF(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), RETURN(SECCOMP_RET_ALLOW)

/* The right architecture, called from the runner's text. Leaves the number of the call in the accumulator. The kernel's routine that
 * reads the clock (vdso.c) may make the call that it stands for, where it comes to no end without. */
#define FROM_THE_TEXT                                                                                              \
    LOAD(FIELD(arch)), TRAP_UNLESS(BPF_JEQ, ARCH), LOAD(FIELD(nr)),                                                 \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clock_gettime, 0, 6), LOAD(FIELD(instruction_pointer) + 4),        \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)((uint64_t)cf_host.vdso >> 32), 0, 4),                        \
        LOAD(FIELD(instruction_pointer)), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)cf_host.vdso, 0, 2),        \
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)(cf_host.vdso + cf_host.vdso_length), 1, 0),                  \
        RETURN(SECCOMP_RET_ALLOW), LOAD(FIELD(instruction_pointer) + 4), TRAP_UNLESS(BPF_JEQ, 0),                   \
        LOAD(FIELD(instruction_pointer)), TRAP_UNLESS(BPF_JGE, (uint32_t)(uintptr_t)__executable_start),           \
        TRAP_IF(BPF_JGT, (uint32_t)(uintptr_t)etext), LOAD(FIELD(nr))

/* A call is allowed if the low half of that argument is at least the value; else what follows decides. */
#define ALLOW_FROM_ARG(call, arg, value)                                                                           \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4), LOAD(FIELD(args) + 8 * (arg)),                                  \
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, 1), RETURN(SECCOMP_RET_ALLOW), LOAD(FIELD(nr))

/* A call is allowed if the low half of that argument is the value; else what follows decides. */
#define ALLOW_ALSO_ARG(call, arg, value)                                                                           \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4), LOAD(FIELD(args) + 8 * (arg)),                                  \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), RETURN(SECCOMP_RET_ALLOW), LOAD(FIELD(nr))

/* What the process of the pins does with descriptors of drivers. */
#define DRIVERS                                                                                                    \
    ALLOW_FROM_ARG(__NR_pread64, 0, CF_HOST_DRIVER_FD), ALLOW_FROM_ARG(__NR_pwrite64, 0, CF_HOST_DRIVER_FD),       \
        ALLOW_FROM_ARG(__NR_recvfrom, 0, CF_HOST_DRIVER_FD), ALLOW_FROM_ARG(__NR_sendto, 0, CF_HOST_DRIVER_FD),    \
        ALLOW_ALSO_ARG(__NR_ioctl, 1, (uint32_t)GPIO_V2_LINE_GET_VALUES_IOCTL),                                    \
        ALLOW_ALSO_ARG(__NR_ioctl, 1, (uint32_t)GPIO_V2_LINE_SET_VALUES_IOCTL),                                    \
        ALLOW_ALSO_ARG(__NR_ioctl, 1, (uint32_t)GPIO_V2_LINE_SET_CONFIG_IOCTL)

/* nr is allowed if the low half of that argument is the value, or at most the value. */
#define ALLOW_IF_ARG(nr, arg, value)                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4), LOAD(FIELD(args) + 8 * (arg)), TRAP_UNLESS(BPF_JEQ, value),     \
        RETURN(SECCOMP_RET_ALLOW)
#define ALLOW_UP_TO_ARG(nr, arg, value)                                                                            \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4), LOAD(FIELD(args) + 8 * (arg)), TRAP_IF(BPF_JGT, value),         \
        RETURN(SECCOMP_RET_ALLOW)

_Static_assert(FUTEX_WAIT == 0 && FUTEX_WAKE == 1, "the two that are used come first");

/* Adds a filter; those that are there stay. */
static void install(const struct sock_filter *program, uint32_t length) {
    const struct sock_fprog filter = {
        .len = (unsigned short)length,
        .filter = (struct sock_filter *)(uintptr_t)program,
    };
    long r = cf_sys6(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);

    if (r == 0) {
        r = cf_sys3(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    }
    if (r != 0) {
        cf_host_die("the system refuses a seccomp filter", r);
    }
}

void cf_host_filter_runner(void) {
    const struct sock_filter program[] = {
        FROM_THE_TEXT,
        ALLOW_UP_TO_ARG(__NR_futex, 1, FUTEX_WAKE),
        DRIVERS,
        ALLOW_IF_ARG(__NR_recvfrom, 0, CF_HOST_FD),
        ALLOW_IF_ARG(__NR_sendto, 0, CF_HOST_FD),
        ALLOW_UP_TO_ARG(__NR_write, 0, CF_HOST_STORE), /* CF_HOST_ERRORS is below it; where there is no store, no such descriptor is open */
        ALLOW_IF_ARG(__NR_lseek, 0, CF_HOST_STORE),
        ALLOW_IF_ARG(__NR_fdatasync, 0, CF_HOST_STORE),
        ALLOW_IF(__NR_ppoll),
        ALLOW_IF(__NR_clock_nanosleep),
        ALLOW_IF(__NR_restart_syscall), /* a sleep that was stopped and continued */
        ALLOW_IF(__NR_clock_gettime),
        ALLOW_IF(__NR_rt_sigreturn),
        ALLOW_IF(__NR_kill),
        ALLOW_IF(__NR_wait4),
        ALLOW_IF(__NR_exit_group),
        ALLOW_UP_TO_ARG(__NR_clone, 0, SIGCHLD), /* nothing but a signal at its end */
        /* What a child needs until it has its own filter. */
        ALLOW_IF(__NR_prctl),
        ALLOW_IF_ARG(__NR_mprotect, 2, PROT_READ | PROT_EXEC),
        ALLOW_IF(__NR_getppid),
        ALLOW_IF(__NR_sigaltstack),
        ALLOW_IF(__NR_rt_sigaction),
        ALLOW_IF(__NR_prlimit64),
        ALLOW_IF(__NR_close_range),
        ALLOW_IF(__NR_close),
        ALLOW_IF(__NR_munmap),
        ALLOW_IF(__NR_setitimer),
#if defined(__arm__)
        ALLOW_IF(__ARM_NR_cacheflush),
#endif
        /* A runner that listens, and its child. The others go no further. */
        {(unsigned short)(cf_host.listens ? BPF_LD | BPF_W | BPF_ABS : BPF_RET | BPF_K), 0, 0,
         cf_host.listens ? FIELD(nr) : SECCOMP_RET_TRAP},
        ALLOW_IF_ARG(__NR_accept4, 0, CF_HOST_LISTENER),
        ALLOW_IF_ARG(__NR_read, 0, CF_HOST_FD),
        ALLOW_IF(__NR_sched_setscheduler),
        ALLOW_IF(__NR_sched_setaffinity),
        ALLOW_IF(__NR_mlockall),
        RETURN(SECCOMP_RET_TRAP),
    };

    install(program, sizeof program / sizeof program[0]);
}

void cf_host_filter_child(void) {
    const struct sock_filter program[] = {
        FROM_THE_TEXT,
        ALLOW_UP_TO_ARG(__NR_futex, 1, FUTEX_WAKE),
        ALLOW_IF(__NR_clock_nanosleep),
        ALLOW_IF(__NR_setitimer),
        ALLOW_IF(__NR_rt_sigreturn),
        ALLOW_IF(__NR_restart_syscall),
        ALLOW_IF(__NR_clock_gettime),
        ALLOW_IF(__NR_exit_group),
        RETURN(SECCOMP_RET_TRAP),
    };

    install(program, sizeof program / sizeof program[0]);
}

/* Its descriptors are those that -allow has opened, and standard error. */
void cf_host_filter_pins(void) {
    const struct sock_filter program[] = {
        FROM_THE_TEXT,
        ALLOW_UP_TO_ARG(__NR_futex, 1, FUTEX_WAKE),
        DRIVERS,
        ALLOW_IF(__NR_rt_sigreturn),
        ALLOW_IF(__NR_restart_syscall),
        ALLOW_IF(__NR_clock_gettime),
        ALLOW_IF(__NR_exit_group),
        RETURN(SECCOMP_RET_TRAP),
    };

    install(program, sizeof program / sizeof program[0]);
}
