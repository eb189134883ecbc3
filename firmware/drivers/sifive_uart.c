/* UART of SiFive's chips. Register names and bits: SiFive FE310-G000 Manual, chapter 18. */
#include "drivers/mmio.h"
#include "drivers/uart.h"

enum {
    TXDATA = 0x00,
    RXDATA = 0x04,
    TXCTRL = 0x08,
    RXCTRL = 0x0c,
    IE = 0x10,
    IP = 0x14,
    DIV = 0x18,
};

#define TXDATA_FULL (1u << 31)
#define RXDATA_EMPTY (1u << 31)
#define TXCTRL_ON 0x10001u /* IP_TX while fewer than one byte is waiting */
#define RXCTRL_ON 1u       /* IP_RX while more than none is */
#define IP_TX 1u
#define IP_RX 2u

/* 16 bits, at least 16. */
static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    const uint32_t divide = cf_uart_divide(clock_hz, baud);
    if (divide < CF_UART_SURE) {
        return false;
    }
    cf_mmio_write(base + IE, 0);
    cf_mmio_write(base + RXCTRL, 0);
    cf_mmio_write(base + DIV, divide - 1u);
    cf_mmio_write(base + TXCTRL, TXCTRL_ON);
    while ((cf_mmio_read(base + RXDATA) & RXDATA_EMPTY) == 0) {
    }
    cf_mmio_write(base + RXCTRL, RXCTRL_ON);
    cf_mmio_write(base + IE, IP_RX);
    return true;
}

/* This UART does not tell when its FIFO of 8 bytes overflows; the frame that had the byte fails its check. */
static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    uint32_t lost = 0;
    for (;;) {
        const uint32_t data = cf_mmio_read(base + RXDATA);
        if ((data & RXDATA_EMPTY) != 0) {
            return lost;
        }
        if (!cf_ring_put(rx, (uint8_t)data)) {
            lost++;
        }
    }
}

static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        while ((cf_mmio_read(base + TXDATA) & TXDATA_FULL) != 0) {
        }
        cf_mmio_write(base + TXDATA, src[i]);
    }
}

static void flush(uintptr_t base) {
    while ((cf_mmio_read(base + IP) & IP_TX) == 0) {
    }
}

const struct cf_uart_driver cf_sifive_uart = {start, interrupt, send, flush};
