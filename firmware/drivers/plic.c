/* Registers: RISC-V Platform-Level Interrupt Controller Specification 1.0; machine mode of hart 0 is context 0. */
#include "drivers/irq.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

#if defined(__riscv)

enum {
    PRIORITY = 0x000000,
    ENABLE = 0x002000,
    THRESHOLD = 0x200000,
    CLAIM = 0x200004,
};

#define BASE cf_chip.irq_base[0]
#define SOURCES 1024u
#define MIP_TIMER (1u << 7)

static uintptr_t enable_word(uint32_t source) {
    return BASE + ENABLE + source / 32u * 4u;
}

static void complete(int32_t number) {
    if (number != CF_IRQ_CORE) { /* the clock's drops when its alarm is set anew, or taken back */
        cf_mmio_write(BASE + CLAIM, (uint32_t)number);
    }
}

static void start(void) {
    const uint32_t uart = cf_chip.uart_irq;
    for (uint32_t source = 0; source < SOURCES; source += 32u) {
        cf_mmio_write(enable_word(source), 0);
    }
    cf_mmio_write(BASE + THRESHOLD, 0);
    cf_mmio_write(BASE + PRIORITY + uart * 4u, 1);
    cf_mmio_write(enable_word(uart), 1u << (uart & 31u));
    /* A restart in the middle of a handler leaves a claim without its end; ending one that is not open does nothing. */
    cf_mmio_write(BASE + CLAIM, uart);
}

static int32_t claim(void) {
    uintptr_t pending;
    __asm__ volatile("csrr %0, mip" : "=r"(pending));
    if ((pending & MIP_TIMER) != 0) {
        return CF_IRQ_CORE;
    }
    for (;;) {
        const uint32_t source = cf_mmio_read(BASE + CLAIM);
        if (source == 0) {
            return CF_IRQ_NONE;
        }
        if (source == cf_chip.uart_irq) {
            return (int32_t)source;
        }
        cf_mmio_write(enable_word(source), cf_mmio_read(enable_word(source)) & ~(1u << (source & 31u)));
        cf_mmio_write(BASE + CLAIM, source);
    }
}

const struct cf_irq_driver cf_plic = {.start = start, .claim = claim, .complete = complete};

#endif
