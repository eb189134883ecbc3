/*
 * What a chip folder gives to the architecture code: where its devices lie, how they are set up, and how its
 * interrupt controller is asked. Exactly one chip is linked into an image.
 */
#ifndef CF_CHIP_H
#define CF_CHIP_H

#include <stdint.h>

/* A piece of physical address space that holds device registers; start and size in multiples of 4 KiB. */
struct cf_chip_window {
    uintptr_t start;
    uintptr_t size;
};

struct cf_chip {
    const struct cf_chip_window *windows;
    uint32_t window_count;
    uintptr_t uart; /* base address of the PL011 that carries the protocol */
};

extern const struct cf_chip cf_chip;

/* The interrupts that a runner uses. */
enum cf_irq {
    CF_IRQ_NONE,
    CF_IRQ_UART,
    CF_IRQ_TIMER,
    CF_IRQ_UNKNOWN, /* something else was pending; it has been silenced */
};

/* One interrupt taken from the controller; cookie is the controller's own. */
struct cf_irq_claim {
    enum cf_irq source;
    uint32_t cookie;
};

/* Sets pins and the interrupt controller so that UART and timer interrupts reach this core. Also runs after a warm
 * restart, with the controller in any state. */
void cf_chip_init(void);

/* Takes the next pending interrupt; source is CF_IRQ_NONE when there is none left. */
struct cf_irq_claim cf_chip_irq_claim(void);

/* Ends the handling of a claimed interrupt, whose source has been quieted. */
void cf_chip_irq_complete(struct cf_irq_claim claim);

#endif
