/* Register names and bits: Arm PrimeCell UART (PL011) Technical Reference Manual, DDI 0183. */
#include "hal/pl011.h"

#include "hal/mmio.h"

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

/* The divisor in 1/64, or 0 if it is out of range or the rate would be more than 1/50 off. A receiver samples the
 * stop bit 9.5 bits after the start edge, so both ends together may be 5 % apart. */
static uint32_t divisor64(uint32_t clock_hz, uint32_t baud) {
    if (baud == 0) {
        return 0;
    }
    const uint64_t clock4 = (uint64_t)clock_hz * 4u;
    const uint64_t divisor = (clock4 + baud / 2u) / baud;
    if (divisor < 64u || divisor > 0xffffu * 64u) {
        return 0;
    }
    const uint64_t real = clock4 / divisor;
    const uint64_t error = real > baud ? real - baud : baud - real;
    return error * 50u <= baud ? (uint32_t)divisor : 0;
}

static void start(const struct cf_pl011 *uart, uint32_t divisor) {
    cf_mmio_write(uart->base + CR, 0);
    cf_mmio_write(uart->base + LCR_H, 0); /* empties the FIFOs */
    cf_mmio_write(uart->base + ICR, INT_ALL);
    cf_mmio_write(uart->base + IBRD, divisor >> 6);
    cf_mmio_write(uart->base + FBRD, divisor & 63u);
    cf_mmio_write(uart->base + LCR_H, LCR_H_8N1_FIFO); /* also takes the divisor over */
    /* QEMU holds input back while the FIFO is full, and looks again only when DR is read: without this a byte that came
     * before the FIFO was emptied would block the line for good. */
    (void)cf_mmio_read(uart->base + DR);
    cf_mmio_write(uart->base + IFLS, IFLS_RX_HALF);
    cf_mmio_write(uart->base + IMSC, INT_RECEIVE);
    cf_mmio_write(uart->base + CR, CR_ENABLE_RX_TX);
}

int cf_pl011_init(struct cf_pl011 *uart, uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    uart->base = base;
    uart->clock_hz = clock_hz;
    uart->overruns = 0;
    const uint32_t divisor = divisor64(clock_hz, baud);
    if (divisor == 0) {
        return -1;
    }
    start(uart, divisor);
    return 0;
}

void cf_pl011_interrupt(struct cf_pl011 *uart) {
    /* Acknowledge first: a byte that arrives while the FIFO is being drained then raises the interrupt again. */
    cf_mmio_write(uart->base + ICR, INT_RECEIVE);
    uint32_t lost = 0;
    while ((cf_mmio_read(uart->base + FR) & FR_RX_EMPTY) == 0) {
        const uint32_t data = cf_mmio_read(uart->base + DR);
        if ((data & DR_OVERRUN) != 0) {
            lost++;
        }
        if ((data & DR_BREAK) != 0) {
            continue; /* line held low: no byte was sent */
        }
        if (!cf_ring_put(&uart->rx, (uint8_t)data)) {
            lost++;
        }
    }
    uart->overruns += lost;
}

void cf_pl011_send(struct cf_pl011 *uart, const uint8_t *src, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        while ((cf_mmio_read(uart->base + FR) & FR_TX_FULL) != 0) {
        }
        cf_mmio_write(uart->base + DR, src[i]);
    }
}

int cf_pl011_set_baud(struct cf_pl011 *uart, uint32_t baud) {
    const uint32_t divisor = divisor64(uart->clock_hz, baud);
    if (divisor == 0) {
        return -1;
    }
    while ((cf_mmio_read(uart->base + FR) & FR_BUSY) != 0) {
    }
    start(uart, divisor);
    return 0;
}
