/* Registers: STM32F405 reference manual RM0090, chapter USART; the same in RM0041 (F100) and RM0390 (F446). */
#include "drivers/mmio.h"
#include "drivers/uart.h"

enum {
    SR = 0x00,
    DR = 0x04,
    BRR = 0x08,
    CR1 = 0x0c,
};

#define SR_ORE (1u << 3)
#define SR_RXNE (1u << 5)
#define SR_TC (1u << 6)
#define SR_TXE (1u << 7)
#define CR1_RE (1u << 2)
#define CR1_TE (1u << 3)
#define CR1_RXNEIE (1u << 5) /* also for an overrun */
#define CR1_UE (1u << 13)

/* 12 bits, and 4 of a fraction; at least 16, the samples of a bit. */
static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    const uint32_t sixteenths = cf_uart_divide(clock_hz, baud);
    if (sixteenths < CF_UART_SURE) {
        return false;
    }
    cf_mmio_write(base + CR1, 0);
    cf_mmio_write(base + BRR, sixteenths);
    cf_mmio_write(base + CR1, CR1_UE | CR1_TE | CR1_RE | CR1_RXNEIE);
    return true;
}

static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    uint32_t lost = 0;
    /* Reading SR and then DR clears both flags. The byte that overran is lost; the one in DR is good. */
    for (uint32_t i = 0; i < CF_UART_BATCH; i++) {
        const uint32_t status = cf_mmio_read(base + SR);
        if ((status & (SR_RXNE | SR_ORE)) == 0) {
            break;
        }
        const uint8_t byte = (uint8_t)cf_mmio_read(base + DR);
        if ((status & SR_ORE) != 0) {
            lost++;
        }
        if ((status & SR_RXNE) != 0 && !cf_ring_put(rx, byte)) {
            lost++;
        }
    }
    return lost;
}

static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        while ((cf_mmio_read(base + SR) & SR_TXE) == 0) {
        }
        cf_mmio_write(base + DR, src[i]);
    }
}

static void flush(uintptr_t base) {
    while ((cf_mmio_read(base + SR) & SR_TC) == 0) {
    }
}

const struct cf_uart_driver cf_stm32_usart = {start, interrupt, send, flush};
