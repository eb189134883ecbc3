/* The core's own interrupt controller (DDI 0403, B3.4; DDI 0419, B3.4). It never has more than one active: handlers do not nest. */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/devices.h"
#include "arch/cortex-m/mpu.h"

/* Of link.ld; what counts is the symbol's value. */
extern const uint8_t cf_irq_register[], cf_irqs[];

/* Words of a bit for each interrupt: of ARMv6-M one, otherwise more than any chip here has; those that are not there take nothing. */
#ifdef __ARM_ARCH_6M__
#define WORDS 1u
#else
#define WORDS 8u
#endif

/* A boot loader, or who has jumped here without a reset, may leave some enabled that have no vector here, and others pending. What a
 * device still asks for is pending again at once. */
static void start(void) {
    volatile uint32_t *const disable = cf_m_block(NVIC_ICER);
    for (uint32_t i = 0; i < WORDS; i++) {
        disable[i] = ~0u;
        disable[(NVIC_ICPR - NVIC_ICER) / 4 + i] = ~0u;
    }
    cf_mmio_write(VALUE(cf_irq_register), VALUE(cf_irqs));
#ifdef CF_SECOND_IRQ /* of another 32 than the first */
    cf_mmio_write(NVIC_ISER + CF_SECOND_IRQ / 32u * 4u, 1u << CF_SECOND_IRQ % 32u);
#endif
}

const struct cf_irq_driver cf_nvic = {.start = start};
