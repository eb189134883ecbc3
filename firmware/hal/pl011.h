/* Arm PL011 UART: interrupt-driven receive into a ring, polled transmit through the FIFO. */
#ifndef CF_PL011_H
#define CF_PL011_H

#include "hal/ring.h"

struct cf_pl011 {
    uintptr_t base;
    uint32_t clock_hz; /* UARTCLK */
    volatile uint32_t overruns; /* bytes lost, in the UART's FIFO (seen as one per gap) or for a full ring */
    struct cf_ring rx;
};

/* Sets 8N1 at `baud` and turns the receive interrupt on. Returns 0, or -1 if the clock cannot make that rate. */
int cf_pl011_init(struct cf_pl011 *uart, uintptr_t base, uint32_t clock_hz, uint32_t baud);

/* Moves what has arrived into the ring. To be called from the UART's interrupt. */
void cf_pl011_interrupt(struct cf_pl011 *uart);

/* Sends len bytes; returns when the last one is in the FIFO. */
void cf_pl011_send(struct cf_pl011 *uart, const uint8_t *src, uint32_t len);

/* Lets everything sent leave, then changes the rate. Returns 0, or -1 (and changes nothing) if the clock cannot
 * make it. */
int cf_pl011_set_baud(struct cf_pl011 *uart, uint32_t baud);

#endif
