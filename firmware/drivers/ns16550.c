/* 16550 with registers of a byte each. Names and bits: National Semiconductor PC16550D data sheet. */
#include "drivers/mmio.h"
#include "drivers/uart.h"

enum {
    RBR = 0, /* read */
    THR = 0, /* write */
    DLL = 0, /* with LCR_DLAB */
    IER = 1,
    DLM = 1,
    FCR = 2, /* write */
    IIR = 2, /* read */
    LCR = 3,
    MCR = 4,
    LSR = 5,
};

#define IER_RECEIVE 0x05u     /* data, and line status: an overrun */
#define FCR_FIFO_HALF 0x81u   /* on, which empties it if it was off; interrupt at 8 of 16 bytes */
#define IIR_FIFO 0xc0u
#define LCR_8N1 0x03u
#define LCR_DLAB 0x80u
#define MCR_DTR_RTS_OUT2 0x0bu
#define LSR_DATA 0x01u
#define LSR_OVERRUN 0x02u
#define LSR_BREAK 0x10u
#define LSR_FIFO_EMPTY 0x20u
#define LSR_IDLE 0x40u

#define FIFO 16u /* bytes */

static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    const uint32_t divide = cf_uart_divide(clock_hz / 16u, baud);
    if (!cf_uart_near(clock_hz / 16u, baud, divide)) {
        return false;
    }
    const bool running = (cf_mmio_read8(base + IIR) & IIR_FIFO) != 0;
    cf_mmio_write8(base + IER, 0);
    cf_mmio_write8(base + LCR, LCR_DLAB);
    cf_mmio_write8(base + DLL, (uint8_t)divide);
    cf_mmio_write8(base + DLM, (uint8_t)(divide >> 8));
    cf_mmio_write8(base + LCR, LCR_8N1);
    cf_mmio_write8(base + FCR, FCR_FIFO_HALF);
    cf_mmio_write8(base + MCR, MCR_DTR_RTS_OUT2);
    /* QEMU holds input back while there is no room, and looks again only when RBR is read: without this a byte that came
     * before the FIFO was on would block the line for good. After a change of rate the FIFO may hold bytes to be kept. */
    if (!running) {
        (void)cf_mmio_read8(base + RBR);
    }
    (void)cf_mmio_read8(base + LSR);
    cf_mmio_write8(base + IER, IER_RECEIVE);
    return true;
}

static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    uint32_t lost = 0;
    for (;;) {
        const uint8_t status = cf_mmio_read8(base + LSR); /* reading takes overrun and break back */
        if ((status & LSR_OVERRUN) != 0) {
            lost++;
        }
        if ((status & LSR_DATA) == 0) {
            return lost;
        }
        const uint8_t byte = cf_mmio_read8(base + RBR);
        if ((status & LSR_BREAK) != 0) {
            continue; /* line held low: no byte was sent */
        }
        if (!cf_ring_put(rx, byte)) {
            lost++;
        }
    }
}

static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        if (i % FIFO == 0) {
            while ((cf_mmio_read8(base + LSR) & LSR_FIFO_EMPTY) == 0) {
            }
        }
        cf_mmio_write8(base + THR, src[i]);
    }
}

static void flush(uintptr_t base) {
    while ((cf_mmio_read8(base + LSR) & LSR_IDLE) == 0) {
    }
}

bool cf_ns16550_broken(uintptr_t base) {
    return (cf_mmio_read8(base + LSR) & LSR_BREAK) != 0; /* which reading takes back */
}

const struct cf_uart_driver cf_ns16550 = {start, interrupt, send, flush};
