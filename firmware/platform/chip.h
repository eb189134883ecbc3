/*
 * What firmware/chip/<chip>/chip.c gives: the devices that the runner uses, and how the chip is set up. Exactly one chip
 * is linked into an image, so its drivers ask it for their addresses.
 */
#ifndef CF_CHIP_H
#define CF_CHIP_H

#include "drivers/clock.h"
#include "drivers/flash.h"
#include "drivers/irq.h"
#include "drivers/uart.h"
#include "drivers/watchdog.h"

/* A piece of physical address space that holds device registers; start and size in multiples of 4 KiB. */
struct cf_chip_window {
    uintptr_t start;
    uintptr_t size;
};

struct cf_chip {
    const struct cf_uart_driver *uart; /* that carries the protocol */
    uintptr_t uart_base;
    uint32_t uart_irq;                   /* its receive interrupt, by the numbers of the interrupt controller */
    const struct cf_clock_driver *clock; /* that runs are measured with */
    uintptr_t clock_base;                /* unless its driver knows it */
    int32_t clock_irq;                   /* CF_IRQ_CORE: an exception of the core */
    uint32_t guard;                      /* ticks of the clock from the alarm of a tick of the loop to its time; 0: 1/2^15 s */
    const struct cf_irq_driver *irq;
    uintptr_t irq_base[2];                /* as its driver says */
    const struct cf_chip_window *windows; /* where there is an MMU: what it maps of the devices */
    uint32_t window_count;
    /* Of a chip with a second line, beside the UART's, whose driver is of both: what the link takes of what has come, ring or not, and
     * whether something waits that is not in the ring. NULL: all is in the ring. */
    uint32_t (*take)(struct cf_ring *rx, uint8_t *dst, uint32_t cap);
    bool (*waits)(void);
    const struct cf_watchdog *watchdog; /* NULL: there is none */
    const struct cf_flash_driver *flash; /* of stored programs; NULL: there are none */
    bool (*line_broken)(uintptr_t base); /* NULL: the line is a level that the board names; else as uart.h has it */
};

extern const struct cf_chip cf_chip;

/* Chips whose row in arch.json says CF_HAS_STORE also have cf_hal_store_memory (hal.h), out of the reach of the image. */

struct cf_rates {
    uint32_t clock_hz; /* of cf_chip.clock */
    uint32_t uart_hz;  /* input of the UART's divider */
    uint32_t conditions; /* bits CF_CONDITION_* that have come of the start */
};

/* Sets clocks and pins, and says what the clocks are. Also runs after a warm restart, with the devices in any state. Waits
 * for an oscillator or a PLL are bounded: where one does not come, the chip runs on what there is. */
struct cf_rates cf_chip_init(void);

/* A number that differs between starts, at best 32 bits of the chip's random number generator; waits are bounded. A chip that
 * has none leaves it to platform.c: the time at which a host speaks, and what RAM held at power-up, count everywhere. */
uint32_t cf_chip_noise(void);

/* Bits CF_CONDITION_* that change as time goes by, for a chip that has any. */
uint32_t cf_chip_conditions(void);

#endif
