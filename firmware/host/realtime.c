/*
 * What makes ticks punctual, as far as this process may have it: a realtime priority, a processor, memory that stays. The ticks are
 * the child's, so it is the child that has them; the runner tries them at its start to tell what is missing.
 */
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/sched.h>

#include "host.h"
#include "sys.h"
#include "text.h"

#define CPUS 1024u
#define AWAKE_FD (CF_HOST_STORE + 1)

struct cpus {
    unsigned long word[CPUS / (8 * sizeof(unsigned long))];
};

#define BITS (8u * (uint32_t)sizeof(unsigned long))

static long schedule(int policy, uint32_t priority) {
    const int p = (int)priority;

    return cf_sys3(__NR_sched_setscheduler, 0, policy, &p);
}

static long run_on(const struct cpus *set) {
    return cf_sys3(__NR_sched_setaffinity, 0, sizeof *set, set);
}

static struct cpus one_cpu(uint32_t cpu) {
    struct cpus set = {{0}};

    set.word[cpu / BITS] = 1ul << cpu % BITS;
    return set;
}

/* Reads a file of the kernel's into a buffer, as text without the end of its line. Returns the length, 0 if there is none. */
static uint32_t read_file(const char *name, char *text, uint32_t capacity) {
    long fd = cf_sys4(__NR_openat, AT_FDCWD, name, 0, 0);
    long n = fd < 0 ? 0 : cf_sys3(__NR_read, fd, text, capacity - 1);

    if (fd >= 0) {
        (void)cf_sys1(__NR_close, fd);
    }
    if (n <= 0) {
        n = 0;
    } else if (text[n - 1] == '\n') {
        n--;
    }
    text[n] = 0;
    return (uint32_t)n;
}

/* Whether a list of the kernel's, such as "2-3,5", has a number. */
static int has(const char *list, uint32_t number) {
    uint32_t from, to;

    for (const char *s = list; (s = cf_text_number(s, UINT32_MAX, &from)) != NULL;) {
        to = from;
        if (*s == '-' && (s = cf_text_number(s + 1, UINT32_MAX, &to)) == NULL) {
            return 0;
        }
        if (from <= number && number <= to) {
            return 1;
        }
        if (*s++ != ',') {
            return 0;
        }
    }
    return 0;
}

/* Leaves the processor of the ticks to them. Returns the kernel's result. */
static long choose_cpu(uint32_t cpu) {
    struct cpus all = {{0}};
    uint64_t others = 0;
    const struct cpus one = one_cpu(cpu);
    long r = cf_sys3(__NR_sched_getaffinity, 0, sizeof all, &all);

    if (r < 0 || (r = run_on(&one)) != 0) {
        return r;
    }
    all.word[cpu / BITS] &= ~one.word[cpu / BITS];
    for (uint32_t i = 0; i < sizeof all.word / sizeof all.word[0]; i++) {
        others |= all.word[i];
    }
    if (others != 0) {
        (void)run_on(&all);
    }
    return 0;
}

static void init_priority(char *text, uint32_t capacity) {
    long r = 0;

    if (cf_host.priority == 0) {
        cf_host_tell("no -priority: the ticks compete with all other programs, and may be late by many milliseconds", 0);
    } else if ((r = schedule(SCHED_FIFO, cf_host.priority)) == 0) {
        (void)schedule(SCHED_NORMAL, 0);
        cf_text_add(text, capacity, "; FIFO ");
        cf_text_add_number(text, capacity, cf_host.priority);
        return;
    } else {
        cf_host_tell("no realtime priority (SCHED_FIFO): the ticks compete with all other programs, and may be late by many "
                     "milliseconds; it takes CAP_SYS_NICE, or LimitRTPRIO of systemd",
                     r);
        cf_host.priority = 0;
    }
    cf_text_add(text, capacity, "; no FIFO");
}

static void init_lock(char *text, uint32_t capacity) {
    long r = 0;

    if (!cf_host.lock) {
        cf_host_tell("no -lock: memory may be taken away, and a tick waits until it is back, as long as a disk takes", 0);
    } else if ((r = cf_sys1(__NR_mlockall, MCL_CURRENT)) == 0) {
        cf_text_add(text, capacity, ", locked");
        return;
    } else {
        cf_host_tell("memory cannot be locked: it may be taken away, and a tick waits until it is back, as long as a disk takes; "
                     "it takes CAP_IPC_LOCK, or LimitMEMLOCK of systemd",
                     r);
        cf_host.lock = 0;
    }
    cf_text_add(text, capacity, ", not locked");
}

/* As long as the file is open, no processor goes into a sleep that it takes longer than 0 us to leave. */
static void keep_awake(void) {
    const int32_t us = 0;
    long fd = cf_sys4(__NR_openat, AT_FDCWD, "/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC, 0);
    long r = fd < 0 ? fd : cf_sys3(__NR_dup3, fd, AWAKE_FD, O_CLOEXEC);

    if (fd >= 0) {
        (void)cf_sys1(__NR_close, fd);
    }
    if (r >= 0) {
        r = cf_sys3(__NR_write, AWAKE_FD, &us, sizeof us);
    }
    if (r < 0) {
        cf_host_tell("processors may sleep deeply between ticks, and wake up late by up to some 100 us: it takes the right to write "
                     "/dev/cpu_dma_latency",
                     r);
    }
}

static void init_cpu(char *text, uint32_t capacity) {
    char list[256];
    const uint32_t cpu = (uint32_t)cf_host.cpu;

    if (cf_host.cpu >= 0) {
        const long r = choose_cpu(cpu);
        if (r != 0) {
            cf_host_die("-cpu: this process may not run on that processor, or there is none of that number", r);
        }
        cf_text_add(text, capacity, ", CPU ");
        cf_text_add_number(text, capacity, cpu);
        (void)read_file("/sys/devices/system/cpu/isolated", list, sizeof list);
        if (!has(list, cpu)) {
            cf_host_tell("the processor of the ticks is not isolated: other programs and interrupts run there, too, and delay "
                         "them by microseconds, seldom by more; isolcpus= of the kernel's command line keeps them away",
                         0);
        }
    }
    if (cf_host.processors < 2) {
        cf_host_tell("there is one processor for ticks and everything else: no tick is waited for awake, and each is later by "
                     "what a wake-up takes",
                     0);
    }
}

#define GET_MDWE 66 /* of prctl; later than the headers. Bit 0: no memory may become executable, bit 1: not so for children */

void cf_host_realtime_init(char *text, uint32_t capacity) {
    char preemptible[8];
    const long denied = cf_sys6(__NR_prctl, GET_MDWE, 0, 0, 0, 0, 0);

    if (denied > 0 && (denied & 3) == 1) {
        cf_host_die("the system forbids this process new code (MemoryDenyWriteExecute of systemd): programs could not run", 0);
    }
    init_priority(text, capacity);
    init_lock(text, capacity);
    init_cpu(text, capacity);
    if (cf_host.priority != 0) {
        keep_awake();
    }
    if (read_file("/sys/kernel/realtime", preemptible, sizeof preemptible) == 0 || preemptible[0] != '1') {
        cf_host_tell("this kernel is not a realtime one (PREEMPT_RT): now and then a tick is late by as long as the kernel is "
                     "busy, milliseconds at worst",
                     0);
    }
}

/* What has been tried before succeeds again. */
void cf_host_realtime_child(int ticks) {
    (void)cf_sys2(__NR_prctl, PR_SET_TIMERSLACK, 1); /* ns by which the kernel may let a sleep last longer, to save wake-ups */
    if (cf_host.cpu >= 0 && ticks) {
        const struct cpus one = one_cpu((uint32_t)cf_host.cpu);
        (void)run_on(&one);
    }
    if (cf_host.priority != 0) {
        (void)schedule(SCHED_FIFO, cf_host.priority);
    }
    if (cf_host.lock) {
        (void)cf_sys1(__NR_mlockall, MCL_CURRENT);
    }
}
