/*
 * Interrupt matrix of the ESP32-C3: each of its sources raises one interrupt of the core, by a number from 1 to 31; 0 is none. Registers:
 * esp-idf, soc/esp32c3/register/soc/interrupt_core0_reg.h. The controller of the core, at the same addresses, passes an interrupt on
 * whose priority is the threshold at least, and is not 0. What is written to it counts a few cycles later, after a FENCE.
 */
#include "drivers/irq.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

#if defined(__riscv) && defined(CF_RISCV_ESP)

#define BASE cf_chip.irq_base[0]
#define SOURCES 62u

enum {
    ENABLE = 0x104,
    TYPE = 0x108, /* by number: 0 is a level */
    PENDING = 0x110,
    PRIORITY = 0x114,
    THRESHOLD = 0x194,
};

/* Of the core. The lower one is taken first. */
#define CLOCK 1u
#define LINE 2u

static void let_through(int32_t source, uint32_t number) {
    cf_mmio_write(BASE + PRIORITY + number * 4u, 1);
    cf_mmio_write(BASE + (uint32_t)source * 4u, number);
}

static void start(void) {
    cf_mmio_write(BASE + ENABLE, 0);
    for (uint32_t source = 0; source < SOURCES; source++) {
        cf_mmio_write(BASE + source * 4u, 0);
    }
    cf_mmio_write(BASE + TYPE, 0);
    cf_mmio_write(BASE + THRESHOLD, 1);
    let_through(cf_chip.clock_irq, CLOCK);
    let_through((int32_t)cf_chip.uart_irq, LINE);
    cf_mmio_write(BASE + ENABLE, 1u << CLOCK | 1u << LINE);
    __asm__ volatile("fence" : : : "memory");
}

static int32_t claim(void) {
    const uint32_t pending = cf_mmio_read(BASE + PENDING);
    if ((pending & 1u << CLOCK) != 0) {
        return cf_chip.clock_irq;
    }
    return (pending & 1u << LINE) != 0 ? (int32_t)cf_chip.uart_irq : CF_IRQ_NONE;
}

/* It drops with its source; until that has come through, the handler runs once more for nothing. */
static void complete(int32_t number) {
    (void)number;
    __asm__ volatile("fence" : : : "memory");
}

const struct cf_irq_driver cf_esp_intmtx = {.start = start, .claim = claim, .complete = complete};

#endif
