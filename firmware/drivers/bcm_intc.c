/* Registers: BCM2835 ARM Peripherals, chapter 7, and Quad-A7 control (BCM2836), revision 3.4. */
#include "drivers/irq.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

enum {
    PENDING_1 = 0x04,
    PENDING_2 = 0x08,
    FIQ_CONTROL = 0x0c,
    ENABLE_1 = 0x10,
    ENABLE_2 = 0x14,
    DISABLE_1 = 0x1c,
    DISABLE_2 = 0x20,
    DISABLE_BASIC = 0x24,

    LOCAL_GPU_ROUTING = 0x0c,
    LOCAL_TIMER_CONTROL = 0x40,
    LOCAL_MAILBOX_CONTROL = 0x50,
    LOCAL_IRQ_SOURCE = 0x60,
};

#define INTC cf_chip.irq_base[0]
#define LOCAL cf_chip.irq_base[1] /* 0x40000000 */

#define LOCAL_TIMER (1u << 3)      /* virtual timer of this core */
#define LOCAL_PERIPHERAL (1u << 8) /* anything enabled in the controller of the peripherals */

/* Lets those through whose bits are set, 0 to 63. */
static void start_peripherals(uint64_t enabled) {
    cf_mmio_write(INTC + FIQ_CONTROL, 0);
    cf_mmio_write(INTC + DISABLE_1, ~0u);
    cf_mmio_write(INTC + DISABLE_2, ~0u);
    cf_mmio_write(INTC + DISABLE_BASIC, ~0u);
    cf_mmio_write(INTC + ENABLE_1, (uint32_t)enabled);
    cf_mmio_write(INTC + ENABLE_2, (uint32_t)(enabled >> 32));
}

/* All of them are levels: they drop with their source. */
static void complete(int32_t number) {
    (void)number;
}

static void start(void) {
    start_peripherals(1ull << cf_chip.uart_irq | 1ull << cf_chip.clock_irq);
}

static int32_t claim(void) {
    const uint64_t pending = (uint64_t)cf_mmio_read(INTC + PENDING_2) << 32 | cf_mmio_read(INTC + PENDING_1);
    if ((pending & 1ull << cf_chip.clock_irq) != 0) {
        return cf_chip.clock_irq;
    }
    return (pending & 1ull << cf_chip.uart_irq) != 0 ? (int32_t)cf_chip.uart_irq : CF_IRQ_NONE;
}

const struct cf_irq_driver cf_bcm_intc = {.start = start, .claim = claim, .complete = complete};

static void start_local(void) {
    start_peripherals(1ull << cf_chip.uart_irq);
    cf_mmio_write(LOCAL + LOCAL_GPU_ROUTING, 0); /* to core 0 */
    cf_mmio_write(LOCAL + LOCAL_MAILBOX_CONTROL, 0);
    cf_mmio_write(LOCAL + LOCAL_TIMER_CONTROL, LOCAL_TIMER);
}

static int32_t claim_local(void) {
    const uint32_t pending = cf_mmio_read(LOCAL + LOCAL_IRQ_SOURCE);
    if ((pending & LOCAL_TIMER) != 0) {
        return CF_IRQ_CORE;
    }
    return (pending & LOCAL_PERIPHERAL) != 0 ? (int32_t)cf_chip.uart_irq : CF_IRQ_NONE; /* the only one that is enabled */
}

const struct cf_irq_driver cf_bcm_local = {.start = start_local, .claim = claim_local, .complete = complete};
