/* Registers: nRF51 Series Reference Manual 3.0, chapter 29; the same on an nRF52, beside UARTE. */
#include "drivers/mmio.h"
#include "drivers/uart.h"

enum {
    STARTRX = 0x000,
    STARTTX = 0x008,
    RXDRDY = 0x108,
    TXDRDY = 0x11c,
    INTENSET = 0x304,
    ERRORSRC = 0x480,
    ENABLE = 0x500,
    RXD = 0x518,
    TXD = 0x51c,
    BAUDRATE = 0x524,
};

#define ENABLE_UART 4u
#define INT_RXDRDY (1u << 2)
#define ERROR_OVERRUN (1u << 0)

#define MOST_BAUD 1000000u

/* 2^32 / 16 MHz for each baud, in steps of 2^12: the manual's values, to the nearest step. */
static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    (void)clock_hz; /* it is 16 MHz, which is 2^10 times 15625 Hz */
    if (baud > MOST_BAUD) {
        return false;
    }
    cf_mmio_write(base + BAUDRATE, ((baud << 10) + 15625u / 2u) / 15625u << 12);
    cf_mmio_write(base + ENABLE, ENABLE_UART);
    cf_mmio_write(base + INTENSET, INT_RXDRDY);
    cf_mmio_write(base + STARTRX, 1);
    cf_mmio_write(base + STARTTX, 1);
    return true;
}

static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    uint32_t lost = 0;
    for (uint32_t i = 0; i < CF_UART_BATCH && cf_mmio_read(base + RXDRDY) != 0; i++) {
        cf_mmio_write(base + RXDRDY, 0); /* before the byte is read: the next one may follow at once */
        const uint32_t errors = cf_mmio_read(base + ERRORSRC);
        if ((errors & ERROR_OVERRUN) != 0) {
            lost++;
        }
        cf_mmio_write(base + ERRORSRC, errors);
        if (!cf_ring_put(rx, (uint8_t)cf_mmio_read(base + RXD))) {
            lost++;
        }
    }
    return lost;
}

static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        cf_mmio_write(base + TXDRDY, 0);
        cf_mmio_write(base + TXD, src[i]);
        while (cf_mmio_read(base + TXDRDY) == 0) { /* the byte has left */
        }
    }
}

static void flush(uintptr_t base) {
    (void)base; /* send waits for each byte */
}

const struct cf_uart_driver cf_nrf51_uart = {start, interrupt, send, flush};
