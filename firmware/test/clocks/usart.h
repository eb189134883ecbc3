/*
 * The USART that STM32 chips from the L4 on have: RM0351 40, RM0440 37, RM0410 34, RM0433 48, with its FIFOs off. For a model of a chip,
 * once; whether it has a clock is known there.
 */
#ifndef CF_TEST_USART_H
#define CF_TEST_USART_H

#include "test/clocks/models.h"

static struct {
    uint32_t cr1, brr;
    bool arrived, overrun;
    uint8_t byte;
    uint8_t sent[64];
    uint32_t count;
} usart;

const uint32_t model_holds = 1;

static bool writable(uint32_t value, uint32_t bits) {
    return (value & ~bits) == 0;
}

static void usart_reset(void) {
    __builtin_memset(&usart, 0, sizeof usart);
}

static void usart_write(uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x00:
        if (!writable(value, 0x2du)) {
            refuse("bits of CR1 that nobody needs", value);
        }
        if ((value & 1u) != 0 && usart.brr < 16u) {
            refuse("a UART without rate", usart.brr);
        }
        usart.cr1 = value;
        return;
    case 0x0c:
        if ((usart.cr1 & 1u) != 0) {
            refuse("the rate of a UART that is on", value);
        }
        if (value > 0xffffu) {
            refuse("reserved bits of BRR", value);
        }
        usart.brr = value;
        return;
    case 0x20:
        if (value != 8u) {
            refuse("flags that nobody has to clear", value);
        }
        usart.overrun = false;
        return;
    case 0x28:
        if (usart.cr1 != 0x2du || usart.count == sizeof usart.sent) {
            refuse("a byte on a line that is not there", value);
        }
        usart.sent[usart.count++] = (uint8_t)value;
        return;
    default:
        refuse("a register of the UART", offset);
    }
}

static uint32_t usart_read(uint32_t offset) {
    switch (offset) {
    case 0x1c: return (usart.overrun ? 8u : 0) | (usart.arrived ? 0x20u : 0) | 0xc0u;
    case 0x24: usart.arrived = false; return usart.byte;
    default: refuse("a look at a register of the UART", offset);
    }
}

uint32_t model_baud(void) {
    return (usart.cr1 & 1u) != 0 ? model_uart_hz() / usart.brr : 0;
}

/* A byte that comes while the one before has not been read is lost. */
void model_receive(uint8_t byte) {
    if (usart.arrived) {
        usart.overrun = true;
        return;
    }
    usart.arrived = true;
    usart.byte = byte;
}

uint32_t model_sent(uint8_t *bytes) {
    const uint32_t count = usart.count;

    __builtin_memcpy(bytes, usart.sent, count);
    usart.count = 0;
    return count;
}

#endif
