/*
 * The seccomp filter. What is not on the list raises SIGSYS, which is a fault of the program like any other. Since no list can
 * tell the runner's calls from a program's, only those that come from the runner's own text pass at all.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "host.h"
#include "sys.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCH AUDIT_ARCH_I386
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
#define CONTINUE_IF(nr, past) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, past, 0)

void cf_host_filter(void) {
    const struct sock_filter program[] = {
        LOAD(FIELD(arch)),
        TRAP_UNLESS(BPF_JEQ, ARCH),
        LOAD(FIELD(instruction_pointer) + 4),
        TRAP_UNLESS(BPF_JEQ, 0),
        LOAD(FIELD(instruction_pointer)),
        TRAP_UNLESS(BPF_JGE, (uint32_t)(uintptr_t)__executable_start),
        TRAP_IF(BPF_JGT, (uint32_t)(uintptr_t)etext),
        LOAD(FIELD(nr)),
        ALLOW_IF(__NR_rt_sigreturn),
        ALLOW_IF(__NR_setitimer),
        ALLOW_IF(__NR_nanosleep),
        ALLOW_IF(__NR_restart_syscall), /* a sleep that was stopped and continued */
        ALLOW_IF(__NR_clock_gettime),
        ALLOW_IF(__NR_exit_group),
        ALLOW_IF(__NR_ppoll),
        CONTINUE_IF(__NR_recvfrom, 2),
        CONTINUE_IF(__NR_write, 1),
        RETURN(SECCOMP_RET_TRAP),
        LOAD(FIELD(args)),
        TRAP_UNLESS(BPF_JEQ, CF_HOST_FD),
        RETURN(SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {
        .len = (unsigned short)(sizeof program / sizeof program[0]),
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
