/*
 * Boards and chips of microcontrollers, whose runner lies in flash memory and whose programs lie in RAM: what
 * boards/<board>/board.c and firmware/chip/<chip>/chip.c give to the architecture code. Exactly one of each is linked.
 *
 * The memory map comes from the chip's memory.ld. Buffers are the board's own, in section CF_BUFFER, so that a board with
 * little RAM has small ones.
 */
#ifndef CF_MCU_H
#define CF_MCU_H

#include "hal/clock.h"
#include "hal/uart.h"

#define CF_BUFFER __attribute__((section(".bss.buffers"), aligned(4)))

struct cf_mcu_board {
    const char *name;      /* folder under boards/ */
    uint32_t crystal_hz;   /* on the chip's main oscillator pins; 0: none */
    const uint32_t *bauds; /* the first one is in use after reset */
    uint32_t baud_count;

    uint8_t *ring;         /* received bytes */
    uint32_t ring_size;    /* a power of two, at least four packets */
    uint8_t *rx_packet;    /* as in struct cf_platform */
    uint8_t *tx_packet;
    uint32_t max_packet;
    uint32_t *samples;
    uint32_t sample_capacity;
};

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

struct cf_mcu_rates {
    uint32_t clock_hz; /* of the driver in cf_chip.clock */
    uint32_t uart_hz;  /* input of the UART's divider */
};

/* Sets clocks and pins, and says what the clocks are. Waits for an oscillator or a PLL are bounded: where one does not
 * come, the chip runs on what there is. */
struct cf_mcu_rates cf_chip_init(void);

/* Vectors of the chip's interrupts from 0 to `last`; for chip.c, once. */
#define CF_VECTORS(last)                                                                                           \
    __attribute__((section(".vectors.irq"), used)) static void (*const vectors[(last) + 1])(void) = {              \
        [0 ... (last)] = cf_mcu_interrupt}

/* Of the architecture. */
void cf_mcu_interrupt(void);

#endif
