/* Start of the host runner, and the part of the HAL that is the byte stream to the host. */
#include <asm/errno.h>
#include <asm/poll.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/signal.h>

#include "core/core.h"
#include "core/mem.h"
#include "core/version.h"
#include "host.h"
#include "sys.h"

#define RX_QUEUE 65536u
#define TX_QUEUE 65536u
#define MSG_DONTWAIT 0x40 /* not in the kernel's headers for user space */
#define SAMPLES (1u << 20)
#define SPIN_US 20u /* a wait for the other process that is shorter ends without a system call */

/* What is the runner's alone: no child inherits any of it, nor the stack. */
static struct private {
    uint8_t stack[256u << 10];
    struct cf_core core;
    struct cf_platform platform;
    uint32_t nonce;
    uint8_t rx[RX_QUEUE]; /* received and not yet taken: rx[rx_at, rx_end) */
    uint32_t rx_at;
    uint32_t rx_end;
    uint8_t tx[TX_QUEUE]; /* gathered until the end of a frame */
    uint32_t tx_length;
    uint8_t rx_packet[CF_MAX_PACKET_LENGTH] __attribute__((aligned(4)));
    uint8_t tx_packet[CF_MAX_PACKET_LENGTH] __attribute__((aligned(4)));
    uint32_t samples[SAMPLES];
    int hung_up; /* the stream has ended */
} *host;

const struct cf_platform *cf_hal_init(void) {
    struct cf_platform *p = &host->platform;

    p->board = "local";
    p->firmware = "copaflash " CF_FIRMWARE_VERSION;
#if defined(__x86_64__)
    p->arch = CF_ARCH_X86_64;
#elif defined(__i386__)
    p->arch = CF_ARCH_X86_32;
#else
    p->arch = CF_ARCH_AARCH64;
#endif
    p->features = cf_host_features();
    cf_host_map(p);
    p->samples = host->samples;
    p->capacity[CF_CAPACITY_SAMPLES] = SAMPLES;
    p->rx_packet = host->rx_packet;
    p->tx_packet = host->tx_packet;
    p->capacity[CF_CAPACITY_PACKET] = CF_MAX_PACKET_LENGTH;
    p->capacity[CF_CAPACITY_WINDOW] = 4 * RX_QUEUE; /* the kernel holds what the queue does not, and the sender waits if need be */
    cf_host.timer_hz = cf_host_clock_init();
    if (cf_sys3(__NR_getrandom, &host->nonce, sizeof host->nonce, 0) != (long)sizeof host->nonce) { /* the filter will not let it pass */
        host->nonce = (uint32_t)cf_hal_ticks();
    }
    cf_host.spin = cf_host_processors() > 1 ? (uint64_t)cf_host.timer_hz / 1000000u * SPIN_US : 0;
    cf_host_call_init();
    return p;
}

/* Fills the empty receive queue. flags are those of recvfrom. */
static void receive(int flags) {
    long n;

    do {
        n = cf_sys6(__NR_recvfrom, CF_HOST_FD, (long)host->rx, sizeof host->rx, flags, 0, 0);
    } while (n == -EINTR);
    host->rx_at = 0;
    host->rx_end = n > 0 ? (uint32_t)n : 0;
    host->hung_up = n <= 0 && n != -EAGAIN;
}

uint32_t cf_hal_rx(uint8_t *dst, uint32_t cap) {
    if (host->rx_at == host->rx_end) {
        receive(MSG_DONTWAIT);
    }
    uint32_t n = host->rx_end - host->rx_at;
    if (n > cap) {
        n = cap;
    }
    memcpy(dst, host->rx + host->rx_at, n);
    host->rx_at += n;
    return n;
}

int cf_hal_wait(uint64_t deadline) {
    uint64_t now = cf_hal_ticks();

    if (host->hung_up || deadline <= now || host->rx_at != host->rx_end) {
        return -host->hung_up;
    }
    if (deadline != UINT64_MAX) {
        uint64_t us = cf_host_us(deadline - now);
        struct pollfd ready = {CF_HOST_FD, POLLIN, 0};
        const struct cf_time timeout = {(long)(us / 1000000u), (long)(us % 1000000u * 1000u)};
        (void)cf_sys6(__NR_ppoll, (long)&ready, 1, (long)&timeout, 0, 0, 0);
        return 0;
    }
    receive(0);
    return -host->hung_up;
}

static void flush(void) {
    uint32_t at = 0;

    while (at < host->tx_length) {
        long n = cf_sys3(__NR_write, CF_HOST_FD, host->tx + at, host->tx_length - at);
        if (n == -EINTR) {
            continue;
        }
        if (n <= 0) {
            break; /* the peer is gone: the next read tells */
        }
        at += (uint32_t)n;
    }
    host->tx_length = 0;
}

void cf_hal_tx(const uint8_t *src, uint32_t len) {
    while (len > 0) {
        uint32_t room = sizeof host->tx - host->tx_length;
        uint32_t n = len < room ? len : room;
        memcpy(host->tx + host->tx_length, src, n);
        host->tx_length += n;
        src += n;
        len -= n;
        if (host->tx_length == sizeof host->tx) {
            flush();
        }
    }
    if (host->tx_length > 0 && host->tx[host->tx_length - 1] == 0) {
        flush();
    }
}

int cf_hal_set_baud(uint32_t baud) {
    (void)baud;
    return -1;
}

uint32_t cf_hal_timer_hz(void) {
    return cf_host.timer_hz;
}

const struct cf_fault *cf_hal_boot_fault(void) {
    return NULL; /* it ends with its process */
}

uint32_t cf_hal_overruns(void) {
    return 0; /* a socket loses nothing */
}

uint32_t cf_hal_nonce(void) {
    return host->nonce;
}

static int equal(const char *a, const char *b) {
    for (; *a == *b && *a != 0; a++, b++) {
    }
    return *a == *b;
}

/* On the runner's own stack. */
static void run(void) {
    cf_core_init(&host->core, cf_hal_init());
    if (!cf_host.emulated) {
        cf_host_filter_runner();
    }
    while (cf_core_poll(&host->core) == 0) {
    }
    cf_host_call_end();
    for (;;) {
        (void)cf_sys1(__NR_exit_group, 0);
    }
}

/* Called by _start; stack is the kernel's: argc, then the arguments. */
_Noreturn void cf_host_main(const uintptr_t *stack);

_Noreturn void cf_host_main(const uintptr_t *stack) {
    const struct rlimit64 none = {0, 0};
    const uint64_t no_signals = 0;

    for (uintptr_t i = 1; i < stack[0]; i++) {
        const char *arg = (const char *)stack[1 + i];
        if (!equal(arg, "-emulated")) {
            cf_host_die("usage: runner [-emulated], speaks over file descriptor 3", 0);
        }
        cf_host.emulated = 1;
    }
    (void)cf_sys4(__NR_rt_sigprocmask, SIG_SETMASK, &no_signals, 0, sizeof no_signals); /* whatever was blocked by who started this */
    (void)cf_sys2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
    (void)cf_sys2(__NR_prctl, PR_SET_DUMPABLE, 0);
    (void)cf_sys4(__NR_prlimit64, 0, RLIMIT_CORE, &none, 0);
    if (!cf_host.emulated) { /* an emulator needs descriptors of its own */
        (void)cf_sys3(__NR_close_range, CF_HOST_FD + 1, UINT32_MAX, 0);
    }
    cf_host.runner = (int32_t)cf_sys0(__NR_getpid);
    host = cf_host_private(sizeof *host);
    cf_host_switch(run, (uintptr_t)host->stack + sizeof host->stack);
}
