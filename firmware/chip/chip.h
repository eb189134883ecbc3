/*
 * What a chip folder gives to the architecture code: where its devices lie, how they are set up, and how its
 * interrupt controller is asked. Exactly one chip is linked into an image.
 */
#ifndef CF_CHIP_H
#define CF_CHIP_H

#include "drivers/irq.h"
#include "drivers/uart.h"

/* A piece of physical address space that holds device registers; start and size in multiples of 4 KiB. */
struct cf_chip_window {
    uintptr_t start;
    uintptr_t size;
};

struct cf_chip {
    const struct cf_chip_window *windows;
    uint32_t window_count;
    const struct cf_uart_driver *uart; /* that carries the protocol */
    uintptr_t uart_base;
    uint32_t (*noise)(void); /* of the chip's random number generator, at best 32 bits; NULL if it has none. Waits are bounded */
};

extern const struct cf_chip cf_chip;

/* Sets pins and the interrupt controller so that UART and timer interrupts reach this core. Also runs after a warm
 * restart, with the controller in any state. */
void cf_chip_init(void);

/* Takes the next pending interrupt; source is CF_IRQ_NONE when there is none left. */
struct cf_irq_claim cf_chip_irq_claim(void);

/* Ends the handling of a claimed interrupt, whose source has been quieted. */
void cf_chip_irq_complete(struct cf_irq_claim claim);

/* The clock that runs are measured with, and its alarm: rate in Hz, ticks since some start, never going back. */
uint32_t cf_chip_timer_hz(void);
uint64_t cf_chip_timer_now(void);

/* Raises the timer interrupt at tick `at`, at once if that has passed. It may come early, as where a comparator has fewer
 * bits than the clock: who armed it looks at the clock and arms it again. */
void cf_chip_timer_arm(uint64_t at);

/* Takes the alarm back, also when it has gone off. */
void cf_chip_timer_disarm(void);

#endif
