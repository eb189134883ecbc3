/*
 * The process of the pins. It alone accesses drivers, and carries out the lists of a program for the child, which has the ticks, and for
 * the runner, which has the start and the end. It lives from START to the end of the loop.
 *
 * The child is taken for the program: it has no descriptor, and what it can say is which of the lists it wants that the runner has
 * checked, of which of its two programs, no more often than there are ticks, and none after that of the safe values. What the lists and
 * their bounds are the runner says, on a page that the child does not have.
 *
 * A driver that does not return holds up this process alone. The child ends the tick, and the runner starts another such process, which
 * leaves that driver out, for the safe values.
 */
#include <asm/errno.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/signal.h>

#include "child.h"
#include "core/codes_gen.h"
#include "core/mem.h"
#include "core/pins.h"
#include "drivers.h"
#include "host.h"
#include "sys.h"

#define SLEEP_NS 10000000u        /* at most, so that a wake-up that is lost costs no more */
#define START_NS 3000000000u      /* that the list of the start may take: the host waits for an answer meanwhile */
#define SAFE_NS 1000000000u       /* that of the safe values; likewise, and again for each driver that is in the way */
#define ATTEMPTS 4u               /* to set the safe values, each without the driver that was in the way before */
#define ANY_CHILD 0x40000000      /* __WALL of wait4: whatever it tells at its end */

/* The page that only the runner and this process have. */
struct page {
    uint32_t ask;       /* number of the request << 8 | list, by the runner */
    uint32_t done;      /* the same, when it is carried out */
    uint32_t end;       /* CF_LOOP_END_* of it */
    struct cf_failure failure;
    uint32_t at;        /* driver that is accessed, or was when the process ended, from 1 on; 0: none */
    uint32_t version;   /* of the programs: odd while the runner changes them */
    struct {
        struct cf_space space;
        const cf_word *lists;
    } program[CF_PROGRAMS];
    uint64_t skip;      /* drivers that are left out */
    uint64_t began;     /* tick of the loop's start */
    uint64_t period;    /* ticks */
    uint32_t safe;      /* the list of safe values has been carried out */
    uint32_t current;   /* program whose list was carried out last */
};

static struct page *page;
static uint8_t stack[32u << 10] __attribute__((aligned(64)));

/* --- The process itself. */

static struct cf_loop own;            /* as cf_pins wants it */
static uint32_t counted[CF_PIN_LISTS]; /* lists for the child so far */

/* Copies a program that the runner has set. Returns 0 if there is none. */
static int take_program(uint32_t program) {
    const uint32_t before = cf_get(&page->version);

    own.current = program;
    own.program[program].space = page->program[program].space;
    own.program[program].pins = page->program[program].lists;
    cf_fence();
    return before % 2u == 0 && cf_get(&page->version) == before && own.program[program].pins != NULL;
}

/* The number of the first entry of the list of the start for a register. */
static uint32_t entry_of(const cf_word *lists, uint32_t address) {
    for (uint32_t i = 1; i <= lists[CF_PINS_START]; i++) {
        if (lists[4u * i + 1u] == address) {
            return i;
        }
    }
    return lists[CF_PINS_START] != 0; /* that of a frame is sent behind the list */
}

static uint32_t carry_out(enum cf_pin_list list, uint32_t program, struct cf_failure *failure) {
    if (!take_program(program)) {
        return CF_LOOP_END_PLAN;
    }
    page->current = program;
    cf_host_drivers_begin(&page->at, page->skip);
    uint32_t end = cf_pins(&own, list);
    const struct cf_host_trouble t = cf_host_drivers_end();
    *failure = own.failure;
    if (t.address != 0) {
        end = CF_LOOP_END_DEVICE;
        *failure = (struct cf_failure){{CF_FAULT_DEVICE, t.error, 0, t.address}, entry_of(own.program[program].pins, t.address), 0};
    }
    if (list == CF_PINS_SAFE && end == CF_LOOP_END_NONE) {
        cf_set(&page->safe, 1);
    }
    return end;
}

/* Whether the child may have this list. Due times that have passed are not made up for, so that there are never more ticks than periods
 * have begun. */
static int may(enum cf_pin_list list) {
    if (cf_get(&page->safe) != 0 || page->period == 0 || list == CF_PINS_START) {
        return 0;
    }
    counted[list]++;
    return counted[list] <= (cf_hal_ticks() - page->began) / page->period + 2u;
}

static void serve_child(struct cf_host_shared *s, uint32_t ask) {
    const uint32_t list = ask & 3u;
    struct cf_failure failure = {{CF_FAULT_DEVICE, EPERM, 0, 0}, 0, 0};

    s->pins_end = may((enum cf_pin_list)list) ? carry_out((enum cf_pin_list)list, ask >> 2 & 1u, &failure) : CF_LOOP_END_DEVICE;
    s->pins_failure = failure;
    cf_set(&s->pins_done, ask);
    cf_fence();
    if (cf_get(&s->pins_waits) != 0) {
        cf_host_wake(&s->pins_done);
    }
}

static void serve_runner(uint32_t ask) {
    page->end = carry_out((enum cf_pin_list)(ask & 3u), ask >> 2 & 1u, &page->failure);
    cf_set(&page->done, ask);
    cf_host_wake(&page->done);
}

static void confine(void) {
    static const uint8_t resources[] = {RLIMIT_NPROC, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE};
    const struct rlimit64 none = {0, 0};

    (void)cf_sys2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (cf_sys0(__NR_getppid) != cf_host.runner) {
        cf_host_die("the runner is gone", 0);
    }
    cf_host_realtime_child(0);
    cf_host_handle(SIGCHLD, (void (*)(void))0, 0);
    for (int fd = CF_HOST_FD; fd < CF_HOST_DRIVER_FD; fd++) {
        (void)cf_sys1(__NR_close, fd);
    }
    if (!cf_host.emulated) {
        for (uint32_t i = 0; i < sizeof resources; i++) {
            (void)cf_sys4(__NR_prlimit64, 0, resources[i], &none, 0);
        }
        cf_host_filter_pins();
    }
}

/* Serves both. Where there is another processor it is awake when a tick is near, and for a moment behind each list. */
static _Noreturn void serve(void) {
    struct cf_host_shared *s = cf_host.shared;
    uint64_t awake = 0;    /* tick until which */
    uint64_t expected = 0; /* tick of the next list */

    confine();
    uint32_t for_runner = page->done, for_child = cf_get(&s->pins_ask); /* of what was there before nothing is carried out */
    for (;;) {
        const uint32_t asked = cf_get(&page->ask), ask = cf_get(&s->pins_ask);
        const uint64_t now = cf_hal_ticks();
        if (asked != for_runner) {
            for_runner = asked;
            serve_runner(asked);
        } else if (ask != for_child) {
            for_child = ask;
            serve_child(s, ask);
            awake = cf_hal_ticks() + cf_host.spin;
            if ((ask & 3u) == CF_PINS_BEFORE) {
                expected = now + page->period;
            }
        } else if (now < awake || (now + 2u * cf_host.guard > expected && now < expected + 2u * cf_host.guard)) {
            cf_host_pause();
        } else {
            uint64_t sleep = expected > now + 2u * cf_host.guard ? expected - now - 2u * cf_host.guard : SLEEP_NS;
            const struct cf_time timeout = cf_host_time(sleep < SLEEP_NS ? sleep : SLEEP_NS);
            cf_set(&s->pins_sleeps, 1);
            cf_fence();
            (void)cf_sys4(__NR_futex, &s->pins_ask, FUTEX_WAIT, for_child, &timeout);
            cf_set(&s->pins_sleeps, 0);
        }
    }
}

/* --- The runner. */

void cf_host_pins_init(void) {
    page = cf_host.pins_page = cf_host_common();
}

/* Ends the process, without waiting for one that is held up by the kernel. */
static void end_server(void) {
    int32_t status;

    if (cf_host_calls.server != 0) {
        (void)cf_sys2(__NR_kill, cf_host_calls.server, SIGKILL);
        for (uint32_t i = 0; i < 10 && cf_sys4(__NR_wait4, cf_host_calls.server, &status, 1 /* WNOHANG */ | ANY_CHILD, 0) == 0; i++) {
            cf_host_sleep_until(cf_hal_ticks() + SLEEP_NS / 10u);
        }
        cf_host_calls.server = 0;
    }
}

static void begin_server(void) {
    page->done = page->ask;
    const long r = cf_host_clone(cf_host.emulated ? SIGCHLD : 0, (uintptr_t)stack + sizeof stack, serve);

    if (r < 0) {
        cf_host_die("cannot start a process for the pins", r);
    }
    cf_host_calls.server = (int32_t)r;
}

/* Has a list carried out. Returns whether it was in time. */
static int order(enum cf_pin_list list, uint32_t program) {
    const uint32_t ask = (page->ask & ~0xffu) + 0x100u + (program & 1u) * 4u + list;
    uint32_t waits;

    cf_set(&page->ask, ask);
    cf_fence();
    cf_host_wake(&cf_host.shared->pins_ask);
    return cf_host_await(&page->done, ask, &waits, cf_hal_ticks() + (list == CF_PINS_START ? START_NS : SAFE_NS));
}

static uint32_t start_list(struct cf_loop *l) {
    if (cf_host_calls.server == 0 || page->program[0].lists == NULL) {
        return CF_LOOP_END_NONE;
    }
    if (order(CF_PINS_START, 0)) {
        l->failure = page->failure;
        if (page->end == CF_LOOP_END_NONE) {
            return CF_LOOP_END_NONE;
        }
    } else {
        const uint32_t address = CF_HOST_DRIVERS_AT + (cf_get(&page->at) - 1u) * CF_HOST_DRIVER_LENGTH;
        l->failure = (struct cf_failure){{CF_FAULT_DEVICE, ETIMEDOUT, 0, address}, entry_of(page->program[0].lists, address), 0};
    }
    end_server();
    return CF_LOOP_END_DEVICE;
}

void cf_hal_pins_prepare(void) {
    if (cf_host.allows != 0) {
        cf_host_call_end(); /* its program may still run, and have no end to that */
    }
    if (page != NULL) {
        end_server();
        memset(page, 0, sizeof *page);
        cf_host.shared->pins_done = cf_host.shared->pins_ask;
    }
}

void cf_hal_unload(void) {
    if (!cf_host_calls.looping) {
        cf_hal_pins_prepare();
        cf_host_call_end();
    }
}

void cf_hal_pins_set(uint32_t program, const struct cf_space *space, const cf_word *lists) {
    if (page == NULL) {
        return;
    }
    cf_set(&page->version, page->version + 1u);
    cf_fence();
    page->program[program].space = *space;
    page->program[program].lists = lists;
    cf_fence();
    cf_set(&page->version, page->version + 1u);
    if (lists != NULL && cf_host_calls.server == 0) {
        begin_server();
    }
}

uint32_t cf_hal_pins(struct cf_loop *l, enum cf_pin_list list) {
    if (cf_host.is_child) {
        return cf_host_pins_ask(l, list);
    }
    return list == CF_PINS_START ? start_list(l) : CF_LOOP_END_NONE; /* the safe values are set: cf_host_pins_end */
}

void cf_host_pins_begin(uint64_t now, uint64_t period) {
    if (page != NULL) {
        page->period = period;
        page->began = now;
    }
}

void cf_host_pins_end(struct cf_loop *l) {
    if (cf_host_calls.server == 0) {
        return;
    }
    page->period = 0; /* nothing more for the child */
    for (uint32_t i = 0; i < ATTEMPTS && cf_get(&page->safe) == 0; i++) {
        if (order(CF_PINS_SAFE, page->current % CF_PROGRAMS)) {
            if (page->end == CF_LOOP_END_DEVICE) {
                cf_host_tell("a driver has refused its safe value", -(long)page->failure.fault.cause);
            }
            break;
        }
        const uint32_t at = cf_get(&page->at);
        if (at > CF_HOST_DRIVERS) {
            break;
        }
        if (at != 0 && l->failure.fault.kind == CF_FAULT_DEVICE && l->failure.fault.cause == ETIMEDOUT) {
            l->failure.fault.address = CF_HOST_DRIVERS_AT + (at - 1u) * CF_HOST_DRIVER_LENGTH;
        }
        if (at != 0) { /* else that process has ended, or gets no time */
            page->skip |= UINT64_C(1) << (at - 1u);
        }
        end_server();
        begin_server();
    }
    end_server();
}
