/*
 * What a UART driver does: one constant per driver, named by the chip that has such a UART. Receiving is by interrupt
 * into a ring, sending is polled.
 */
#ifndef CF_UART_H
#define CF_UART_H

#include "drivers/ring.h"

struct cf_uart_driver {
    /* Sets 8N1 at a rate of the board, which is 9600 or more, and turns FIFOs and receive interrupt on, in whatever state the device is.
     * Returns false, and leaves the line alone, if the clock cannot make the rate within CF_UART_OFF. */
    bool (*start)(uintptr_t base, uint32_t clock_hz, uint32_t baud);

    /* Handles the interrupt: moves what has arrived into the ring. Returns how many bytes were lost, in the FIFO (seen as
     * one per gap) or for a full ring. */
    uint32_t (*interrupt)(uintptr_t base, struct cf_ring *rx);

    /* Sends len bytes; returns when the last one is in the FIFO. */
    void (*send)(uintptr_t base, const uint8_t *src, uint32_t len);

    /* Returns when the FIFO is empty; the last byte may still be on its way. */
    void (*flush)(uintptr_t base);
};

extern const struct cf_uart_driver cf_cmsdk_uart;  /* Arm Cortex-M System Design Kit */
extern const struct cf_uart_driver cf_esp_usb_serial; /* USB Serial/JTAG of the ESP32-C3, whose rate means nothing */
extern const struct cf_uart_driver cf_nrf51_uart;  /* Nordic nRF51, nRF52 */
extern const struct cf_uart_driver cf_ns16550;
extern const struct cf_uart_driver cf_pl011;
extern const struct cf_uart_driver cf_sifive_uart;
extern const struct cf_uart_driver cf_stm32_usart; /* STM32 F1, F2, F4, L1, whose registers begin with SR, DR and BRR */
extern const struct cf_uart_driver cf_stm32_usart2; /* STM32 F0, F3, F7, G0, G4, H7, L4, whose registers begin with CR1 */

/* Whether a break has arrived. Takes what the UART holds, so that no interrupt handler does meanwhile. */
bool cf_pl011_broken(uintptr_t base);
bool cf_ns16550_broken(uintptr_t base);

/* Where a UART holds one byte, or a few, its handler takes no more than these at a time: if more have come, its interrupt stays, and a
 * tick of the loop comes in between. */
#define CF_UART_BATCH 8u

/* A receiver samples the stop bit 9.5 bits after the start edge, so both ends together may be 5 % apart. A rate that a
 * clock misses by more than one part in this many is refused. */
#define CF_UART_OFF 40u

/* From this one on, the nearest divisor is always near enough: it is half a step off at most. */
#define CF_UART_SURE (CF_UART_OFF / 2u)

/* The divisor that makes clock_hz / divisor nearest to a rate of the board. */
static inline uint32_t cf_uart_divide(uint32_t clock_hz, uint32_t baud) {
    return (clock_hz + baud / 2u) / baud;
}

/* Whether a divisor is near enough. */
static inline bool cf_uart_near(uint32_t clock_hz, uint32_t baud, uint32_t divisor) {
    if (divisor == 0) {
        return false;
    }
    const uint32_t real = clock_hz / divisor;
    const uint32_t error = real > baud ? real - baud : baud - real;
    return error <= baud / CF_UART_OFF;
}

#endif
