/* Registers: STM32L4x5 reference manual RM0351, chapter USART; the same, as long as FIFOs are off, in RM0440 (G4) and RM0433 (H7). */
#include "drivers/mmio.h"
#include "drivers/uart.h"

enum {
    CR1 = 0x00,
    BRR = 0x0c,
    ISR = 0x1c,
    ICR = 0x20,
    RDR = 0x24,
    TDR = 0x28,
};

#define CR1_UE (1u << 0)
#define CR1_RE (1u << 2)
#define CR1_TE (1u << 3)
#define CR1_RXNEIE (1u << 5) /* also for an overrun */
#define ISR_ORE (1u << 3)    /* in ICR, too */
#define ISR_RXNE (1u << 5)
#define ISR_TC (1u << 6)
#define ISR_TXE (1u << 7)
#define MOST 0xffffu /* of BRR */

/* Sixteen samples of a bit, so BRR is the divisor itself; at least 16. */
static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    const uint32_t divisor = cf_uart_divide(clock_hz, baud);
    if (divisor < CF_UART_SURE || divisor > MOST) {
        return false;
    }
    cf_mmio_write(base + CR1, 0);
    cf_mmio_write(base + BRR, divisor);
    cf_mmio_write(base + CR1, CR1_UE | CR1_TE | CR1_RE | CR1_RXNEIE);
    return true;
}

static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    uint32_t lost = 0;
    /* The byte that overran is lost; the one in RDR is good. */
    for (uint32_t i = 0; i < CF_UART_BATCH; i++) {
        const uint32_t status = cf_mmio_read(base + ISR);
        if ((status & (ISR_RXNE | ISR_ORE)) == 0) {
            break;
        }
        if ((status & ISR_ORE) != 0) {
            cf_mmio_write(base + ICR, ISR_ORE);
            lost++;
        }
        if ((status & ISR_RXNE) != 0 && !cf_ring_put(rx, (uint8_t)cf_mmio_read(base + RDR))) {
            lost++;
        }
    }
    return lost;
}

static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        while ((cf_mmio_read(base + ISR) & ISR_TXE) == 0) {
        }
        cf_mmio_write(base + TDR, src[i]);
    }
}

static void flush(uintptr_t base) {
    while ((cf_mmio_read(base + ISR) & ISR_TC) == 0) {
    }
}

const struct cf_uart_driver cf_stm32_usart2 = {start, interrupt, send, flush};
