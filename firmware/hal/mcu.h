/*
 * Boards and chips of microcontrollers, whose runner lies in flash memory and whose programs lie in RAM: what
 * boards/<board>/board.c and firmware/chip/<chip>/chip.c give to the architecture code. Exactly one of each is linked.
 *
 * The memory map comes from the chip's memory.ld. Buffers are the board's own, so that one with little RAM has
 * small ones.
 */
#ifndef CF_MCU_H
#define CF_MCU_H

#include <stddef.h>

#include "core/codes_gen.h"
#include "core/version.h"
#include "drivers/clock.h"
#include "hal/hal.h"
#include "drivers/uart.h"
#include "services/services.h"

struct cf_mcu_board {
    uint32_t crystal_hz;         /* on the chip's main oscillator pins; 0: none */
    uint8_t *ring;               /* received bytes */
    uint32_t ring_size;
    struct cf_platform platform;
};

/* Of the architecture's link.ld; the value of a symbol with a size is that size. */
extern uint8_t cf_program_code_start[], cf_program_code_size[], cf_program_data_start[], cf_program_data_size[];

/* In board.c, once: two packets of so many bytes, a ring of received bytes, a power of two and at least four packets, and ticks of single
 * runs. */
#define CF_MCU_BUFFERS(packet_bytes, ring_bytes, sample_count)                                                     \
    CF_MCU_BUFFER static uint8_t ring[ring_bytes];                                                                 \
    CF_MCU_BUFFER static uint8_t packets[2][packet_bytes];                                                         \
    CF_MCU_BUFFER static uint32_t samples[sample_count];                                                           \
    _Static_assert((ring_bytes) >= 4 * (packet_bytes) && ((ring_bytes) & ((ring_bytes) - 1)) == 0                  \
                       && (packet_bytes) % 4 == 0 && (packet_bytes) >= CF_MIN_PACKET_LENGTH,                       \
                   "sizes of buffers")
#define CF_MCU_BUFFER __attribute__((section(".bss.buffers"), aligned(4)))

/* In board.c, once: the rates of its line, of which the first one is in use after reset. */
#define CF_MCU_BAUDS(...) static const uint32_t bauds[] = {__VA_ARGS__}

#ifdef CF_SERVICES
#define CF_MCU_SERVICES .features = CF_FEAT_SOFT_FLOAT, .services = cf_services, .service_count = CF_SERVICE_COUNT
#else
#define CF_MCU_SERVICES .services = NULL
#endif

/* The fields of cf_board that follow from these and from the memory map. What half of the ring is offered to the host; the rest is
 * room for repeats and garbage. */
#define CF_MCU_BOARD(name)                                                                                         \
    .ring = ring, .ring_size = sizeof ring,                                                                        \
    .platform = {                                                                                                  \
        .board = (name), .firmware = "copaflash " CF_FIRMWARE_VERSION, .arch = CF_ARCH, CF_MCU_SERVICES,           \
        .code_write = cf_program_code_start, .code_exec = (uintptr_t)cf_program_code_start,                        \
        .data = cf_program_data_start, .samples = samples, .rx_packet = packets[0], .tx_packet = packets[1],       \
        .bauds = bauds, .baud_count = sizeof bauds / sizeof bauds[0],                                              \
        .capacity = {                                                                                              \
            [CF_CAPACITY_CODE] = (uint32_t)cf_program_code_size,                                                   \
            [CF_CAPACITY_DATA] = (uint32_t)cf_program_data_size,                                                   \
            [CF_CAPACITY_PACKET] = sizeof packets[0],                                                              \
            [CF_CAPACITY_WINDOW] = sizeof ring / 2u,                                                               \
            [CF_CAPACITY_SAMPLES] = sizeof samples / sizeof samples[0],                                            \
        },                                                                                                         \
    }

extern const struct cf_mcu_board cf_board;

struct cf_mcu {
    const struct cf_uart_driver *uart;
    uintptr_t uart_base;
    uint32_t uart_irq;     /* its receive interrupt, by the numbers of the chip's manual */
    const struct cf_clock_driver *clock;
    int32_t clock_irq;     /* CF_NO_IRQ: an exception of the core */
};

#define CF_NO_IRQ (-1)

extern const struct cf_mcu cf_chip;

/* A number that differs between starts, at best 32 bits of the chip's random number generator. A chip that has none leaves it to the
 * platform, which takes what RAM holds at power-up. Waits are bounded. */
uint32_t cf_chip_noise(void);

struct cf_mcu_rates {
    uint32_t clock_hz; /* of the driver in cf_chip.clock */
    uint32_t uart_hz;  /* input of the UART's divider */
};

/* Sets clocks and pins, and says what the clocks are. Waits for an oscillator or a PLL are bounded: where one does not
 * come, the chip runs on what there is. */
struct cf_mcu_rates cf_chip_init(void);

/* Vectors of the interrupts that the chip's drivers use, the lowest of which is FIRST_IRQ in memory.ld; for chip.c, once. Where
 * those of lower ones would be, which are never enabled, the linker puts what the chip's gap.ld names. */
#define CF_VECTORS(first, last)                                                                                    \
    __attribute__((section(".vectors.irq"), used)) static void (*const vectors[(last) - (first) + 1])(void) = {    \
        [0 ... (last) - (first)] = cf_mcu_interrupt}

/* Of the architecture. */
void cf_mcu_interrupt(void);

#endif
