/* Start of the host runner, and what it is made of. */
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/signal.h>

#include "core/core.h"
#include "core/version.h"
#include "drivers.h"
#include "host.h"
#include "sys.h"
#include "text.h"

#define SAMPLES (1u << 20)
#define SPIN_NS 20000u  /* a wait for the other process that is shorter ends without a system call */
#define GUARD_NS 30000u /* a wake-up takes about this long at most, in a virtual machine, too */

/* What is the runner's alone: no child inherits any of it, nor the stack. */
static struct private {
    uint8_t stack[256u << 10];
    struct cf_core core;
    struct cf_platform platform;
    char about[sizeof "linux\n" + CF_MAX_TEXT];
    uint32_t nonce;
    uint8_t rx_packet[CF_MAX_PACKET_LENGTH] __attribute__((aligned(4)));
    uint8_t tx_packet[CF_MAX_PACKET_LENGTH] __attribute__((aligned(4)));
    uint32_t samples[SAMPLES];
} *host;

const struct cf_platform *cf_hal_init(void) {
    struct cf_platform *p = &host->platform;

    p->about = host->about;
#if defined(__x86_64__)
    p->arch = CF_ARCH_X86_64;
#elif defined(__i386__)
    p->arch = CF_ARCH_X86_32;
#elif defined(__arm__)
    p->arch = CF_ARCH_ARMV7A;
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
    p->capacity[CF_CAPACITY_WINDOW] = 4 * CF_HOST_RX_QUEUE; /* the kernel holds what the queue does not, and the sender waits if need be */
    if (cf_sys3(__NR_getrandom, &host->nonce, sizeof host->nonce, 0) != (long)sizeof host->nonce) { /* the filter will not let it pass */
        host->nonce = (uint32_t)cf_hal_ticks();
    }
    cf_host_call_init();
    return p;
}

int cf_hal_set_baud(uint32_t baud) {
    (void)baud;
    return -1;
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

/* Programs have processes of their own, and times are the system's. */
uint32_t cf_hal_conditions(void) {
    return 0;
}

static void tell_where(void) {
    char line[160];

    line[0] = 0;
    cf_text_add(line, sizeof line, "listens at ");
    cf_text_add(line, sizeof line, cf_host.listens);
    cf_host_tell(line, 0);
}

/* On the runner's own stack. */
static void run(void) {
    enum cf_host_stream kind = CF_STREAM_INHERITED;

    cf_text_add(host->about, sizeof host->about, cf_host.listens != NULL ? "linux" : "local");
    cf_text_add(host->about, sizeof host->about, "\ncopaflash " CF_FIRMWARE_VERSION);
    cf_host.processors = cf_host_processors();
    if (cf_host.processors > 1) {
        cf_host.spin = SPIN_NS;
        cf_host.guard = GUARD_NS;
    }
    if (cf_host.listens != NULL) {
        kind = cf_host_listen(cf_host.listens, cf_host.remote);
    }
    cf_host_stream_init(kind);
    const struct cf_platform *platform = cf_hal_init();
    cf_host_drivers_init(&host->platform);
    if (cf_host.allows != 0) {
        cf_host_pins_init();
    }
    if (cf_host.store != NULL) {
        host->platform.store = cf_host_store_init(cf_host.store);
    }
    if (cf_host.listens != NULL) {
        cf_host_realtime_init(host->about, sizeof host->about);
        tell_where();
    }
    host->platform.about_length = cf_text_length(host->about);
    if (!cf_host.emulated) {
        cf_host_filter_runner();
    }
    cf_core_init(&host->core, platform); /* which may start a program */
    while (cf_core_poll(&host->core) == 0) {
    }
    cf_host_call_end();
    for (;;) {
        (void)cf_sys1(__NR_exit_group, 0);
    }
}

/* Called by _start; stack is the kernel's. */
_Noreturn void cf_host_main(const uintptr_t *stack);

_Noreturn void cf_host_main(const uintptr_t *stack) {
    const struct rlimit64 none = {0, 0};
    const uint64_t no_signals = 0;

    cf_host_options(stack);
    cf_host_clock_init(stack);
    (void)cf_sys4(__NR_rt_sigprocmask, SIG_SETMASK, &no_signals, 0, sizeof no_signals); /* whatever was blocked by who started this */
    if (cf_host.listens == NULL) {
        (void)cf_sys2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
    }
    (void)cf_sys2(__NR_prctl, PR_SET_DUMPABLE, 0);
    (void)cf_sys4(__NR_prlimit64, 0, RLIMIT_CORE, &none, 0);
    if (!cf_host.emulated) { /* an emulator needs descriptors of its own */
        (void)cf_sys3(__NR_close_range, cf_host.listens != NULL ? CF_HOST_FD : CF_HOST_FD + 1, UINT32_MAX, 0);
    }
    cf_host.descriptors = (cf_host.store != NULL ? CF_HOST_STORE : cf_host.listens != NULL ? CF_HOST_LISTENER : CF_HOST_FD) + 1;
    if (cf_host.allows != 0) {
        cf_host.descriptors = CF_HOST_DRIVERS_FD;
    }
    cf_host.runner = (int32_t)cf_sys0(__NR_getpid);
    host = cf_host_private(sizeof *host);
    cf_host_switch(run, (uintptr_t)host->stack + sizeof host->stack);
}
