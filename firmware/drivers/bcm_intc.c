/* Registers: BCM2835 ARM Peripherals, chapter 7, and Quad-A7 control (BCM2836), revision 3.4. */
#include "drivers/bcm_intc.h"

#include "drivers/mmio.h"

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

void cf_bcm_intc_init(uintptr_t base, uint64_t enabled) {
    cf_mmio_write(base + FIQ_CONTROL, 0);
    cf_mmio_write(base + DISABLE_1, ~0u);
    cf_mmio_write(base + DISABLE_2, ~0u);
    cf_mmio_write(base + DISABLE_BASIC, ~0u);
    cf_mmio_write(base + ENABLE_1, (uint32_t)enabled);
    cf_mmio_write(base + ENABLE_2, (uint32_t)(enabled >> 32));
}

uint64_t cf_bcm_intc_pending(uintptr_t base) {
    return (uint64_t)cf_mmio_read(base + PENDING_2) << 32 | cf_mmio_read(base + PENDING_1);
}

void cf_bcm_local_init(uintptr_t base) {
    cf_mmio_write(base + LOCAL_GPU_ROUTING, 0); /* to core 0 */
    cf_mmio_write(base + LOCAL_MAILBOX_CONTROL, 0);
    cf_mmio_write(base + LOCAL_TIMER_CONTROL, CF_BCM_LOCAL_TIMER);
}

uint32_t cf_bcm_local_pending(uintptr_t base) {
    return cf_mmio_read(base + LOCAL_IRQ_SOURCE);
}
