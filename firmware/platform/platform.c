/* The platform functions of hal.h that are the same for all boards: line and clock as the chip describes them, memory as
 * the board does, programs as the architecture runs them. */
#include <stddef.h>

#include "core/crc32c.h"
#include "core/loop.h"
#include "platform/arch.h"
#include "platform/board.h"
#include "platform/chip.h"
#if CF_DRIVER
#include "platform/driver.h"
#endif
#include "platform/watchdog.h"

static struct {
    struct cf_rates rates;
    cf_moment alarm;      /* what the clock was last armed for */
    uint8_t event;        /* what that is: CF_PLATFORM_TICK if a tick is to come and none is under way, otherwise CF_PLATFORM_ALARM */
    volatile bool ticked; /* one has ended since the link last slept */
    volatile uint32_t overruns;
    struct cf_ring rx;
} platform; /* short stores of Thumb reach 31 bytes far for a byte */

/* Starts are counted, from FAILED on after a fault of the runner: where a restart is a reset, RAM holds anything after
 * power-up, and a later reset must not tell of that fault again. */
#define FAILED 0x6f1b3ac5u
__attribute__((section(".noinit"))) struct cf_life cf_platform_life;

/* Of starts so far. */
__attribute__((section(".retained"))) static uint32_t nonce;

_Noreturn void cf_platform_fatal(void) {
    cf_platform_life.starts = FAILED;
    cf_arch_restart();
}

const struct cf_fault *cf_hal_boot_fault(void) {
    return cf_platform_life.starts == FAILED + 1u ? &cf_platform_life.fault : NULL;
}

__attribute__((always_inline)) static inline cf_moment now(void) {
    return cf_chip.clock->now();
}

cf_moment cf_platform_now(void) {
    return now();
}

static void arm(cf_moment at, uint8_t event) {
    platform.alarm = at;
    platform.event = event;
    cf_chip.clock->alarm(at);
}

/* No alarm is to come. Of 32 bits no moment says so: the last one stays, and when it comes it is nobody's. */
static void disarm(void) {
    if (CF_SMALL) {
        platform.event = CF_PLATFORM_ALARM;
    } else {
        arm(CF_NEVER, CF_PLATFORM_ALARM);
    }
}

/* Returns false, and leaves the line alone, if its clock cannot make the rate. */
static bool start_line(uint32_t baud) {
    return cf_chip.uart->start(cf_chip.uart_base, platform.rates.uart_hz, baud);
}

/* Bytes of RAM whose content at power-up goes into the nonce: of a thousand cells some tens fall either way. */
#define NOISE_BYTES 512

const struct cf_platform *cf_hal_init(void) {
    cf_platform_life.starts++;
    nonce += cf_crc32c(cf_board.platform.data, NOISE_BYTES); /* now: a stored program would make it the same in every start */
    platform.rx.bytes = cf_board.ring;
    platform.rx.size = cf_board.ring_size;
    if (!CF_SMALL) { /* else 0 is as good */
        platform.alarm = CF_NEVER;
    }
    platform.event = CF_PLATFORM_ALARM;
    do { /* at a wrong rate nobody could be told; an oscillator may come the next time */
        platform.rates = cf_chip_init();
    } while (!start_line(cf_board.platform.bauds[0]));
    cf_chip.clock->start();
    cf_chip.irq->start();
#if CF_DRIVER
    if (cf_driver.start != NULL) {
        cf_driver.start(&platform.rates);
    }
#endif
    if (!CF_SMALL) { /* else every start is one of the chip */
        cf_watchdog_init();
    }
    cf_arch_irq_unmask();
    return &cf_board.platform;
}

static void take_bytes(void) {
    platform.overruns += cf_chip.uart->interrupt(cf_chip.uart_base, &platform.rx);
}

/* An alarm of 32 bits is this far ahead where none is needed. */
#define FAR 0x40000000u

enum cf_platform_event cf_platform_interrupt(int32_t number) {
    if (number == (int32_t)cf_chip.uart_irq || (cf_chip.take != NULL && number != cf_chip.clock_irq)) {
        take_bytes();
        return CF_PLATFORM_NOTHING;
    }
    if (cf_chip.clock->interrupt != NULL) {
        cf_chip.clock->interrupt();
    }
    const cf_moment time = now();
    uint8_t event = platform.event;
    if (cf_before(time + (event == CF_PLATFORM_TICK ? cf_chip.clock->early : 0), platform.alarm)) {
        event = CF_PLATFORM_NOTHING;
    } else {
        platform.alarm = CF_SMALL ? time + FAR : CF_NEVER;
        platform.event = CF_PLATFORM_ALARM;
    }
    cf_chip.clock->alarm(platform.alarm);
    cf_watchdog_keep();
    return event;
}

enum cf_platform_event cf_platform_interrupts(void) {
    enum cf_platform_event event = CF_PLATFORM_NOTHING;
    for (;;) {
        const int32_t number = cf_chip.irq->claim();
        if (number == CF_IRQ_NONE) {
            return event;
        }
        const enum cf_platform_event one = cf_platform_interrupt(number);
        if (one != CF_PLATFORM_NOTHING) {
            event = one;
        }
        cf_chip.irq->complete(number);
    }
}

uint32_t cf_hal_rx(uint8_t *dst, uint32_t cap) {
    cf_watchdog_feed();
    return cf_chip.take != NULL ? cf_chip.take(&platform.rx, dst, cap) : cf_ring_take(&platform.rx, dst, cap);
}

void cf_hal_tx(const uint8_t *src, uint32_t len) {
    cf_watchdog_feed();
    cf_chip.uart->send(cf_chip.uart_base, src, len);
}

cf_moment cf_hal_ticks(void) {
    cf_arch_irq_mask();
    const cf_moment ticks = now();
    cf_arch_irq_unmask();
    return ticks;
}

/* With interrupts masked. Sleep ends for one that is pending: between a check before and the sleep none gets lost. A tick that comes before
 * keeps the clock, whose alarm may have gone off. */
static void sleep_until(cf_moment at) {
    const cf_moment alarm = platform.alarm;
    const uint8_t event = platform.event;
    const bool sooner = !CF_SMALL && at < alarm;
    if (sooner) {
        arm(at, CF_PLATFORM_ALARM);
    }
    cf_arch_sleep();
    if (sooner) {
        arm(alarm, event);
    }
}

int cf_hal_wait(cf_moment deadline) {
    cf_arch_irq_mask();
    const bool more = cf_chip.waits != NULL && cf_chip.waits();
    if (cf_ring_empty(&platform.rx) && !more && !platform.ticked && (CF_SMALL || now() < deadline)) {
        sleep_until(deadline);
    }
    platform.ticked = false;
    cf_arch_irq_unmask();
    return 0;
}

/* Interrupts and wake-ups come late by less than 1/2^SPIN_SHIFT s, 61 us; a wait for an exact time spins for the rest. */
#define SPIN_SHIFT 14

void cf_hal_until(cf_moment at) {
    const cf_number spin = platform.rates.clock_hz >> SPIN_SHIFT;
    while (!CF_SMALL && cf_before(cf_hal_ticks() + spin, at)) {
        cf_arch_irq_mask();
        sleep_until(at - spin);
        cf_arch_irq_unmask();
    }
    while (cf_before(cf_hal_ticks(), at)) {
    }
}

int cf_hal_call(uintptr_t entry, void *data, cf_number limit, struct cf_call *call) {
    cf_arch_irq_mask();
    arm(now() + limit, CF_PLATFORM_ALARM);
    const int kind = cf_arch_call(entry, data, call);
    if (!CF_SMALL) { /* else that alarm stays */
        disarm();
    }
    cf_arch_irq_unmask();
    return kind;
}

/* --- Ticks. */

/* Interrupts of the clock are late by less than half of this, whatever the link or another handler is at: 1/2^GUARD_SHIFT s, 31 us,
 * unless the chip knows better. */
#define GUARD_SHIFT 15

__attribute__((always_inline)) inline uint32_t cf_hal_guard(void) { /* a constant, shorter than a call */
    return cf_chip.guard != 0 ? cf_chip.guard : platform.rates.clock_hz >> GUARD_SHIFT;
}

/* After a tick the link gets as much time as the guard is, however late the next one is then: it must hear a STOP. */
void cf_platform_ticked(void) {
    const struct cf_loop *const loop = cf_board.platform.loop;
    const cf_moment soonest = now() + 2u * cf_hal_guard();
    if (cf_loop_goes_on(loop)) {
        arm((cf_before(soonest, loop->due) ? loop->due : soonest) - cf_hal_guard(), CF_PLATFORM_TICK);
    }
}

/* The first half of the guard makes up for a late interrupt; what arrives meanwhile is taken at once. In the second one, which is
 * longer than that takes, nothing comes between reading the clock and looking at what it says again: fewer than 40 instructions. */
void cf_platform_tick(void) {
    struct cf_loop *const loop = cf_board.platform.loop;
    cf_moment time;
    while (cf_before(time = now(), loop->due)) {
        if (cf_chip.clock->catch_up != NULL) { /* no alarm is set that its interrupt would be for */
            cf_chip.clock->catch_up();
        }
        if (loop->due - time > cf_hal_guard() / 2u) {
            take_bytes();
        }
    }
    cf_arch_irq_unmask();
    cf_loop_tick(loop, time);
    platform.ticked = true;
}

__attribute__((always_inline)) static inline void set_pace(cf_number period) {
    if (cf_chip.clock->pace != NULL) {
        cf_chip.clock->pace(period);
    }
}

void cf_hal_loop_start(struct cf_loop *l) {
    cf_arch_irq_mask();
    set_pace(l->limit < l->period ? l->limit : l->period);
    cf_platform_ticked();
    cf_arch_irq_unmask();
    cf_watchdog_start();
}

/* A tick interrupts the link: while that is here, none is under way. */
void cf_hal_loop_stop(void) {
    cf_arch_irq_mask();
    set_pace((cf_number)-1);
    disarm();
    cf_arch_irq_unmask();
    cf_watchdog_stop();
}

/* During a tick the clock has no other alarm to give, and RUN is refused while there are ticks. */
int cf_hal_loop_call(uintptr_t entry, void *data, cf_number limit, struct cf_call *call) {
    return cf_hal_call(entry, data, limit, call);
}

/* Nothing can happen to a tick that the tick itself does not see. */
int cf_hal_loop_check(struct cf_fault *fault) {
    (void)fault;
    return 0;
}

/* Not every UART can tell when its last byte is out: 1/2^LAST_BYTE_SHIFT s, 2 ms, is a character and a half at 9600 baud. */
#define LAST_BYTE_SHIFT 9

int cf_hal_set_baud(uint32_t baud) {
    cf_chip.uart->flush(cf_chip.uart_base);
    cf_hal_until(cf_hal_ticks() + (platform.rates.clock_hz >> LAST_BYTE_SHIFT));
    cf_arch_irq_mask();
    take_bytes(); /* starting empties the FIFO, which may not have raised its interrupt yet */
    const bool possible = start_line(baud);
    cf_arch_irq_unmask();
    return (int)possible - 1;
}

uint32_t cf_hal_timer_hz(void) {
    return platform.rates.clock_hz;
}

uint32_t cf_hal_overruns(void) {
    return platform.overruns;
}

__attribute__((weak)) uint32_t cf_chip_noise(void) {
    return 0;
}

__attribute__((weak)) uint32_t cf_chip_conditions(void) {
    return 0;
}

uint32_t cf_hal_conditions(void) {
    return platform.rates.conditions | cf_arch_conditions() | cf_chip_conditions();
}

/* After power-up the time at which a host speaks, what RAM held, and the chip's generator, where it has one, tell starts apart. After a
 * reset the sum goes on from the last one, even if all are as they were then. */
uint32_t cf_hal_nonce(void) {
    nonce += (uint32_t)cf_hal_ticks() + cf_chip_noise();
    return nonce;
}
