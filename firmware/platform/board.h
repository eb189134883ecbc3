/*
 * What boards/<board>/board.c gives: one constant, made of its buffers, the rates of its line, and where programs lie.
 * Buffers are the board's own, so that one with little RAM has small ones.
 */
#ifndef CF_BOARD_H
#define CF_BOARD_H

#include "core/codes_gen.h"
#include "core/loop.h"
#include "core/version.h"
#include "drivers/steps.h"
#include "hal/hal.h"
#include "services/services.h"

/* A level that is to be there for the first 20 ms of the runner so that a stored program is not started: of a button, or of the line. */
struct cf_level {
    uint32_t address; /* of a register of 32 bits; 0: no level */
    uint32_t mask;
    uint32_t held;    /* what it has of these bits then */
};

#define CF_HOLD_LEVELS 2

struct cf_hold {
    const struct cf_step *steps; /* before that: what makes a pin readable; NULL: nothing */
    struct cf_level level[CF_HOLD_LEVELS];
};

struct cf_board {
    uint32_t crystal_hz; /* on the chip's main oscillator pins, if the chip asks for it; 0: none */
    uint8_t *ring;       /* received bytes */
    uint32_t ring_size;
#if CF_HAS_STORE
    struct cf_hold hold;
#endif
    struct cf_platform platform;
};

extern const struct cf_board cf_board;

/* The state of the loop, two packets of so many bytes, and a ring of received bytes: a power of two, at least four packets. Half of the ring is
 * offered to the host as window; the rest is room for repeats and garbage. */
#define CF_BUFFERS(packet_bytes, ring_bytes)                                                                           \
    CF_BUFFER static uint8_t ring[ring_bytes];                                                                         \
    CF_BUFFER static uint8_t packets[2][packet_bytes];                                                                 \
    static struct cf_loop loop;                                                                                        \
    _Static_assert((ring_bytes) >= 4 * (packet_bytes) && ((ring_bytes) & ((ring_bytes) - 1)) == 0                      \
                       && (packet_bytes) % 4 == 0 && (packet_bytes) >= CF_MIN_PACKET_LENGTH,                           \
                   "sizes of buffers")
#define CF_BUFFER __attribute__((section(".bss.buffers"), aligned(4)))

/* The rates of its line, none below 9600; the first one is in use after reset. */
#define CF_BAUDS(...) static const uint32_t bauds[] = {__VA_ARGS__}

/* For a board whose chip has a watchdog. */
#define CF_WATCHDOG .platform.loop_features = CF_LOOP_WATCHDOG

/* For a board whose chip stores programs. */
#define CF_STORE .platform.store = &cf_hal_store_memory

#define CF_ABOUT(name) name "\ncopaflash " CF_FIRMWARE_VERSION

/* The fields that follow from these and from the architecture. */
#define CF_BOARD(name)                                                                                                 \
    .ring = ring, .ring_size = sizeof ring, .platform.about = CF_ABOUT(name),                                          \
    .platform.about_length = sizeof CF_ABOUT(name) - 1u, .platform.arch = CF_ARCH, CF_LENT,                            \
    .platform.rx_packet = packets[0], .platform.tx_packet = packets[1], .platform.bauds = bauds,                       \
    .platform.baud_count = sizeof bauds / sizeof bauds[0], .platform.loop = &loop, .platform.windows = &cf_pin_windows,                                    \
    .platform.capacity[CF_CAPACITY_PACKET] = sizeof packets[0],                                                        \
    .platform.capacity[CF_CAPACITY_WINDOW] = sizeof ring / 2u

/* Of the chip: windows_gen.c, made of its chip.json. windows.S is for one without channels. */
extern const struct cf_pin_windows cf_pin_windows;

#ifndef CF_FEATURES
#define CF_FEATURES 0
#endif
#ifdef CF_SERVICES
#define CF_LENT                                                                                                        \
    .platform.features = CF_FEATURES | CF_FEAT_SOFT_FLOAT, .platform.services = cf_services,                           \
    .platform.service_count = CF_SERVICE_COUNT
#else
#define CF_LENT .platform.features = CF_FEATURES
#endif

/* Where the code and the data of programs lie, ticks of single runs, and live memory of the loop: RAM beyond the image, in the units that the
 * architecture's chapter of PORTING.md names. */
#define CF_CODE_AT(start, bytes)                                                                                       \
    .platform.code_write = (uint8_t *)(uintptr_t)CF_CODE_VIEW(start), .platform.code_exec = (start),                   \
    .platform.capacity[CF_CAPACITY_CODE] = (bytes)
#define CF_DATA_AT(start, bytes)                                                                                       \
    .platform.data = (uint8_t *)(uintptr_t)(start), .platform.capacity[CF_CAPACITY_DATA] = (bytes)
#define CF_SAMPLES_AT(start, bytes)                                                                                    \
    .platform.samples = (uint32_t *)(uintptr_t)(start), .platform.capacity[CF_CAPACITY_SAMPLES] = (bytes) / 4u
#define CF_LIVE_AT(start, bytes)                                                                                       \
    .platform.live = (uint8_t *)(uintptr_t)(start), .platform.capacity[CF_CAPACITY_LIVE] = (bytes)

/* Where the MMU shows code to the runner for writing. */
#ifdef CF_CODE_ALIAS
#define CF_CODE_VIEW(start) CF_CODE_ALIAS
#else
#define CF_CODE_VIEW(start) (start)
#endif

/* On a microcontroller the chip's memory.ld says where programs lie, samples and live memory are buffers of so many ticks
 * and bytes. */
#define CF_SAMPLES(count) CF_BUFFER static uint32_t samples[count]
#define CF_LIVE(bytes)                                                                                                 \
    CF_BUFFER static uint8_t live[bytes];                                                                              \
    _Static_assert((bytes) % 4 == 0, "size of live memory")
#define CF_LINKED_MEMORY                                                                                               \
    .platform.code_write = cf_program_code_start, .platform.code_exec = (uintptr_t)cf_program_code_start,              \
    .platform.data = cf_program_data_start, .platform.samples = samples, .platform.live = live,                        \
    .platform.capacity[CF_CAPACITY_LIVE] = sizeof live,                                                                \
    .platform.capacity[CF_CAPACITY_CODE] = (uint32_t)cf_program_code_size,                                             \
    .platform.capacity[CF_CAPACITY_DATA] = (uint32_t)cf_program_data_size,                                             \
    .platform.capacity[CF_CAPACITY_SAMPLES] = sizeof samples / sizeof samples[0]

/* Of the architecture's link.ld; the value of a symbol with a size is that size. */
extern uint8_t cf_program_code_start[], cf_program_code_size[], cf_program_data_start[], cf_program_data_size[];

#endif
