/* Registers: Arm Cortex-M System Design Kit Technical Reference Manual, DDI 0479, APB UART. */
#include "drivers/mmio.h"
#include "drivers/uart.h"

enum {
    DATA = 0x00,
    STATE = 0x04,
    CTRL = 0x08,
    INTCLEAR = 0x0c,
    BAUDDIV = 0x10,
};

#define STATE_TX_FULL (1u << 0)
#define STATE_RX_FULL (1u << 1)
#define STATE_RX_OVERRUN (1u << 3)
#define CTRL_TX_RX_RX_INTERRUPT 0x0bu
#define INT_RX (1u << 1)

/* 20 bits, at least 16. */
static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    const uint32_t cycles = cf_uart_divide(clock_hz, baud);
    if (cycles < CF_UART_SURE) {
        return false;
    }
    cf_mmio_write(base + CTRL, 0);
    cf_mmio_write(base + BAUDDIV, cycles);
    cf_mmio_write(base + INTCLEAR, INT_RX);
    cf_mmio_write(base + CTRL, CTRL_TX_RX_RX_INTERRUPT);
    return true;
}

static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    uint32_t lost = 0;
    /* Acknowledge first: a byte that arrives while this one is read then raises the interrupt again. */
    cf_mmio_write(base + INTCLEAR, INT_RX);
    for (uint32_t i = 0; i < CF_UART_BATCH; i++) {
        const uint32_t state = cf_mmio_read(base + STATE);
        if ((state & STATE_RX_OVERRUN) != 0) {
            cf_mmio_write(base + STATE, STATE_RX_OVERRUN);
            lost++;
        }
        if ((state & STATE_RX_FULL) == 0) {
            break;
        }
        if (!cf_ring_put(rx, (uint8_t)cf_mmio_read(base + DATA))) {
            lost++;
        }
    }
    return lost;
}

static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        while ((cf_mmio_read(base + STATE) & STATE_TX_FULL) != 0) {
        }
        cf_mmio_write(base + DATA, src[i]);
    }
}

static void flush(uintptr_t base) {
    while ((cf_mmio_read(base + STATE) & STATE_TX_FULL) != 0) {
    }
}

const struct cf_uart_driver cf_cmsdk_uart = {start, interrupt, send, flush};
