/*
 * The whole contract between the runner's core and a platform.
 *
 * The core (firmware/core) decodes the wire protocol, checks and loads images and drives runs; it knows no
 * hardware. A platform implements the functions below, describes its memory in one struct cf_platform, and
 * calls the core from its main loop:
 *
 *     static struct cf_core core;
 *     cf_core_init(&core, cf_hal_init());
 *     while (cf_core_poll(&core) == 0) {}
 *
 * All functions are called from that one loop, never from an interrupt, but for those that cf_loop_tick calls (loop.h): it runs
 * on a level of its own, which interrupts that loop.
 */
#ifndef CF_HAL_H
#define CF_HAL_H

#include <stdint.h>

#include "core/small.h"

/* Counts of the clock from one moment to another, and other numbers of requests. Where size comes first they have 32 bits: START refuses
 * times and RUN a period of 2^30 counts, 6 s of the fastest timer, and more; a limit of RUN has 31. */
#if CF_SMALL
typedef uint32_t cf_number;
typedef int32_t cf_difference;
#else
typedef uint64_t cf_number;
typedef int64_t cf_difference;
#endif

/* A moment: what the clock says then, of which 64 bits never wrap in service. Of 32 bits any two that are compared lie less than 2^31
 * counts apart. */
typedef cf_number cf_moment;

static inline int cf_before(cf_moment a, cf_moment b) {
    return CF_SMALL ? (cf_difference)(a - b) < 0 : a < b;
}

#define CF_NEVER ((cf_moment)-1) /* of 64 bits; of 32 it is a moment like others */

/* Alignment in bytes that a platform guarantees for the start of code and of data memory. */
#define CF_HAL_ALIGN 64u

/* What went wrong in a program. kind is a CF_FAULT_* number of codes_gen.h, cause is raw and platform defined
 * (ESR on AArch64, si_code on Linux), pc and address are absolute; address is 0 where the kind has none. */
struct cf_fault {
    uint32_t kind;
    uint32_t cause;
    uintptr_t pc;
    uintptr_t address;
};

/* Outcome of one call of a program. start and end are of cf_hal_ticks(), taken directly before the entry and directly after
 * the return, so that arming the time limit and saving context stay outside of the measured interval. After a
 * fault end is the time at which it was caught. */
struct cf_call {
    cf_moment start;
    cf_moment end;
    struct cf_fault fault;
};

/* In the order of the HELLO answer. */
enum cf_capacity {
    CF_CAPACITY_CODE,    /* bytes of code memory */
    CF_CAPACITY_DATA,    /* bytes of data memory */
    CF_CAPACITY_PACKET,  /* header, body and CRC before COBS, CF_MIN_PACKET_LENGTH to CF_MAX_PACKET_LENGTH; the HELLO answer needs
                          * about 150 bytes and those of its text */
    CF_CAPACITY_WINDOW,  /* encoded bytes that the receive queue can hold while the core is busy */
    CF_CAPACITY_SAMPLES, /* ticks of single runs, fewer than 2^30 */
    CF_CAPACITY_LIVE,    /* bytes of live memory, a multiple of 4 below 2^30 */
    CF_CAPACITIES,
};

/* Registers that lists for the pins may access. */
struct cf_pin_window {
    uint32_t address; /* of the first byte */
    uint32_t length;  /* bytes; 0: the end of the table */
    uint32_t bits;    /* that may change of each register of 32 bits; if not all of them, only as 32 bits and by a mask */
};

struct cf_pin_windows {
    uint32_t feature; /* CF_LOOP_PINS, 0: there are none */
    struct cf_pin_window window[];
};

/* Memory that keeps its content, for stored programs: two slots, one behind the other, that can be read like other memory. Erased bytes
 * are 0xff. The first numbers in the order of the answer to STORE. */
struct cf_store_memory {
    uint32_t length;      /* of a slot, bytes: a multiple of page */
    uint32_t page;        /* bytes that are erased together, a power of two, a multiple of unit */
    uint32_t unit;        /* bytes that are written together, a power of two from 4 on */
    uint32_t erase_ms;    /* longest time that erasing a page takes */
    const uint8_t *slots; /* aligned to 8 bytes */
    uint32_t first;       /* where the records of a slot begin: the unit, and 32 at least */
};

/* Where size comes first it is this one. */
extern const struct cf_store_memory cf_hal_store_memory;

struct cf_loop; /* core/loop.h */

struct cf_platform {
    /* What a program and its host must keep to, in the order of the HELLO answer. */
    uint32_t arch;        /* CF_ARCH_* */
    uint32_t features;    /* CF_FEAT_* bits that this processor has */
    uint32_t capacity[CF_CAPACITIES]; /* by CF_CAPACITY_* */

    const char *about;     /* short name, as in boards/<board>, a line feed, and version of the runner, for people */
    uint32_t about_length; /* bytes, at most 2 * CF_MAX_TEXT */

    /* Code memory: the core writes through code_write; the program executes at code_exec. The two may be equal. */
    uint8_t *code_write;
    uintptr_t code_exec;

    /* Data memory: never executable where the platform can prevent it. */
    uint8_t *data;

    uint32_t *samples; /* ticks of single runs, and while a loop runs packets of telemetry; may be NULL with capacity 0 */

    /* The loop's state, zero at the start, and live memory, 4-byte aligned. Programs cannot write either, unless they run in a
     * process of their own together with the ticks. NULL with capacity 0 if the platform has no ticks. */
    struct cf_loop *loop;
    uint8_t *live;
    uint32_t loop_features; /* CF_LOOP_* bits that the platform adds: CF_LOOP_WATCHDOG */

    /* What lists for the pins may access. NULL without CF_HAS_PINS (loop.h). */
    const struct cf_pin_windows *windows;

#if defined(CF_HAL_PINS)
    /* What READ gives of the region of drivers, for which the registers stand; NULL with length 0: there are none. */
    uint8_t *drivers;
    uint32_t drivers_length;
#endif

    /* Of stored programs. NULL: there are none; not where size comes first, with CF_HAS_STORE (store.h). */
    const struct cf_store_memory *store;

    /* For the packet being received and for the last reply, 4-byte aligned. */
    uint8_t *rx_packet;
    uint8_t *tx_packet;

    const uint32_t *bauds;  /* rates for cf_hal_set_baud, the first one is in use after reset; NULL if not a serial line */
    uint32_t baud_count;

    /* Addresses that a patch may refer to by index (region "service"); NULL with count 0 if there are none. */
    const uintptr_t *services;
    uint32_t service_count;
};

/* Brings the platform up and describes it, for good. Never fails: a platform that cannot start does not return. */
const struct cf_platform *cf_hal_init(void);

/* Takes up to cap received bytes; returns how many, 0 if there are none now. Never blocks. */
uint32_t cf_hal_rx(uint8_t *dst, uint32_t cap);

/* Sends len bytes, in order; returns when they are accepted. A frame ends with the byte 0 and contains no other 0, so a
 * platform that gathers bytes passes them on at that byte. */
void cf_hal_tx(const uint8_t *src, uint32_t len);

/* Sleeps until something may have been received, a tick has ended, or cf_hal_ticks() reaches deadline (CF_NEVER: none), without a
 * race between the check and the sleep. May return early; returns at once if the deadline has passed. Returns 0, or -1 if the peer is gone for good.
 * Where moments have 32 bits there is no deadline: who has one stays awake. */
int cf_hal_wait(cf_moment deadline);

/* Monotonic time in units of 1/cf_hal_timer_hz() s. */
cf_moment cf_hal_ticks(void);

/* Ticks a second, the same from cf_hal_init on. */
uint32_t cf_hal_timer_hz(void);

/* Returns at tick `at`, as exactly as the platform can (it may sleep, then spin); at once if that has passed. */
void cf_hal_until(cf_moment at);

/* Makes code_write[offset, offset+len) visible to instruction fetch at code_exec+offset. */
void cf_hal_sync_code(uint32_t offset, uint32_t len);

/* The loaded program will not be called again, and its memory is about to be written. Only a platform whose programs could
 * still be running has something to do. */
#if defined(CF_HAL_UNLOAD)
void cf_hal_unload(void);
#else
static inline void cf_hal_unload(void) {
}
#endif

/* Calls void entry(void *data) of the C ABI; entry is code_exec plus an offset, so a Thumb platform sets bit 0 itself.
 * The run may take `limit` ticks, at least 1. Faults and the time limit come back here with the platform intact. Returns 0, or
 * the CF_FAULT_* kind, with call->fault filled in, which otherwise stays as it is or gets kind 0; start and end are always set. */
int cf_hal_call(uintptr_t entry, void *data, cf_number limit, struct cf_call *call);

/* --- The loop. Where platform->loop is NULL none of these is called. */

/* From now on calls cf_loop_tick whenever l->due comes, for the first time in some 1/512 s, until the loop has ended; l->watchdog is to
 * be armed. Interrupts, of the line at least, go on during a tick. */
void cf_hal_loop_start(struct cf_loop *l);

/* What a hardware watchdog of so many milliseconds, at least 1, is to l->watchdog: more than 0. Or -CF_ERR_UNSUPPORTED if there is none,
 * -CF_ERR_BAD_LENGTH for a time that it does not reach, -CF_ERR_BUSY if it runs with another one that cannot be changed. */
int32_t cf_hal_watchdog(uint32_t ms);

/* Returns when no tick is under way and none will come. Also called after a loop has ended by itself. */
void cf_hal_loop_stop(void);

/* On the tick's level: as cf_hal_call. */
int cf_hal_loop_call(uintptr_t entry, void *data, cf_number limit, struct cf_call *call);

/* Called by each poll while the loop runs. A platform whose ticks run elsewhere looks after them: 0 if they go on, or the
 * CF_FAULT_* kind that has ended them (a call longer than its limit, the death of the process), with *fault filled in. The core
 * then calls cf_hal_loop_stop. */
int cf_hal_loop_check(struct cf_fault *fault);

/* Counts that the interrupt of a tick comes before it is due. */
uint32_t cf_hal_guard(void);

/* With a driver of one's own (platform/driver.h): whether a register is one of its. They are in no window. */
#ifndef CF_DRIVER
#define CF_DRIVER 0
#endif
#if CF_DRIVER
int cf_hal_driver_has(uint32_t address);
#endif

/* On both levels, and only within platform->windows: one access to a register of 2^width bytes, 0 to 2. */
uint32_t cf_hal_register_read(uint32_t address, uint32_t width);
void cf_hal_register_write(uint32_t address, uint32_t width, uint32_t value);

/* --- Stored programs. Where platform->store is NULL none of these is called, and none while a program runs. Offsets are from the start
 * of the first slot. Waits are bounded. Whether it has come about the core sees by itself: erased memory is all ones then, written
 * memory has the bytes. */

/* Erases the page there. */
void cf_hal_store_erase(uint32_t offset);

/* Writes n bytes, a multiple of the unit, to memory that is erased: or the 32 bytes of a slot's header, to which all ones are added where
 * the unit is longer. The bytes need not be aligned. When it returns they outlast a loss of power. */
void cf_hal_store_write(uint32_t offset, const uint8_t *bytes, uint32_t n);

/* When the runner starts: whether somebody wants the stored program not to be started, by a button or a break on the line. Takes some
 * 20 ms. */
int cf_hal_store_held(void);

/* Waits until everything sent has left, then switches the line rate. Returns 0, or -1 if the rate is not possible
 * (then nothing has changed). */
int cf_hal_set_baud(uint32_t baud);

/* Fault of the runner itself before its last restart, or NULL. Shown by STATUS until a program is loaded. */
const struct cf_fault *cf_hal_boot_fault(void);

/* Received bytes lost since start. */
uint32_t cf_hal_overruns(void);

/* A number that differs between two starts of the runner as well as the platform can arrange it. Called once after a start, when
 * the first HELLO has come: no two of them come at the same tick. Nothing has been loaded then. */
uint32_t cf_hal_nonce(void);

/* What a host should know before it trusts the runner or its times: bits CF_CONDITION_*, as they are now. */
uint32_t cf_hal_conditions(void);

#endif
