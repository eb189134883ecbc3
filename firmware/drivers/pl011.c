/* Arm PL011. Register names and bits: PrimeCell UART (PL011) Technical Reference Manual, DDI 0183. */
#include "drivers/mmio.h"
#include "drivers/uart.h"

enum {
    DR = 0x00,
    FR = 0x18,
    IBRD = 0x24,
    FBRD = 0x28,
    LCR_H = 0x2c,
    CR = 0x30,
    IFLS = 0x34,
    IMSC = 0x38,
    ICR = 0x44,
};

#define DR_OVERRUN (1u << 11)
#define DR_BREAK (1u << 10)
#define FR_BUSY (1u << 3)
#define FR_RX_EMPTY (1u << 4)
#define FR_TX_FULL (1u << 5)
#define LCR_H_8N1_FIFO 0x70u
#define CR_ENABLE_RX_TX 0x301u
#define IFLS_RX_HALF (2u << 3) /* interrupt at 8 of 16 bytes: 26 us of room at 3 Mbaud */
#define INT_RX (1u << 4)
#define INT_RX_TIMEOUT (1u << 6)
#define INT_OVERRUN (1u << 10)
#define INT_RECEIVE (INT_RX | INT_RX_TIMEOUT | INT_OVERRUN)
#define INT_ALL 0x7ffu

/* In 1/64 of 16 clocks per bit: 16 bits of whole clocks, 6 of a fraction. The clock is less than 1 GHz. */
static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    const uint32_t divisor64 = cf_uart_divide(clock_hz * 4u, baud);
    if (divisor64 < 64u) {
        return false;
    }
    cf_mmio_write(base + CR, 0);
    cf_mmio_write(base + LCR_H, 0); /* empties the FIFOs */
    cf_mmio_write(base + ICR, INT_ALL);
    cf_mmio_write(base + IBRD, divisor64 >> 6);
    cf_mmio_write(base + FBRD, divisor64 & 63u);
    cf_mmio_write(base + LCR_H, LCR_H_8N1_FIFO); /* also takes the divisor over */
    /* QEMU holds input back while the FIFO is full, and looks again only when DR is read: without this a byte that came
     * before the FIFO was emptied would block the line for good. */
    (void)cf_mmio_read(base + DR);
    cf_mmio_write(base + IFLS, IFLS_RX_HALF);
    cf_mmio_write(base + IMSC, INT_RECEIVE);
    cf_mmio_write(base + CR, CR_ENABLE_RX_TX);
    return true;
}

static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    /* Acknowledge first: a byte that arrives while the FIFO is being drained then raises the interrupt again. */
    cf_mmio_write(base + ICR, INT_RECEIVE);
    uint32_t lost = 0;
    while ((cf_mmio_read(base + FR) & FR_RX_EMPTY) == 0) {
        const uint32_t data = cf_mmio_read(base + DR);
        if ((data & DR_OVERRUN) != 0) {
            lost++;
        }
        if ((data & DR_BREAK) != 0) {
            continue; /* line held low: no byte was sent */
        }
        if (!cf_ring_put(rx, (uint8_t)data)) {
            lost++;
        }
    }
    return lost;
}

static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        while ((cf_mmio_read(base + FR) & FR_TX_FULL) != 0) {
        }
        cf_mmio_write(base + DR, src[i]);
    }
}

static void flush(uintptr_t base) {
    while ((cf_mmio_read(base + FR) & FR_BUSY) != 0) {
    }
}

bool cf_pl011_broken(uintptr_t base) {
    bool broken = false;
    while ((cf_mmio_read(base + FR) & FR_RX_EMPTY) == 0) {
        broken = (cf_mmio_read(base + DR) & DR_BREAK) != 0 || broken;
    }
    return broken;
}

const struct cf_uart_driver cf_pl011 = {start, interrupt, send, flush};
