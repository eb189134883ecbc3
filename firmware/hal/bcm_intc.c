/* Registers: BCM2835 ARM Peripherals, chapter 7, and Quad-A7 control (BCM2836), revision 3.4. */
#include "hal/bcm_intc.h"

#include "hal/mmio.h"

enum {
    FIQ_CONTROL = 0x0c,
    ENABLE_1 = 0x10,
    DISABLE_1 = 0x1c,
    DISABLE_2 = 0x20,
    DISABLE_BASIC = 0x24,

    LOCAL_GPU_ROUTING = 0x0c,
    LOCAL_TIMER_CONTROL = 0x40,
    LOCAL_MAILBOX_CONTROL = 0x50,
    LOCAL_IRQ_SOURCE = 0x60,
};

void cf_bcm_intc_init(const struct cf_bcm_intc *intc, uint32_t irq) {
    cf_mmio_write(intc->peripheral + FIQ_CONTROL, 0);
    cf_mmio_write(intc->peripheral + DISABLE_1, ~0u);
    cf_mmio_write(intc->peripheral + DISABLE_2, ~0u);
    cf_mmio_write(intc->peripheral + DISABLE_BASIC, ~0u);
    cf_mmio_write(intc->local + LOCAL_GPU_ROUTING, 0); /* to core 0 */
    cf_mmio_write(intc->local + LOCAL_MAILBOX_CONTROL, 0);
    cf_mmio_write(intc->local + LOCAL_TIMER_CONTROL, CF_BCM_LOCAL_TIMER);
    cf_mmio_write(intc->peripheral + ENABLE_1 + (irq / 32u) * 4u, 1u << (irq & 31u));
}

uint32_t cf_bcm_intc_pending(const struct cf_bcm_intc *intc) {
    return cf_mmio_read(intc->local + LOCAL_IRQ_SOURCE);
}
