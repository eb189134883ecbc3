/* The core's own interrupt controller. It never has more than one active: handlers do not nest. */
#include <stddef.h>

#include "arch/cortex-m/devices.h"
#include "arch/cortex-m/registers.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

__attribute__((always_inline)) static inline void enable(uint32_t number) {
    cf_mmio_write(NVIC_ISER + number / 32u * 4u, 1u << (number & 31u));
}

static void start(void) {
    enable(cf_chip.uart_irq);
    if (cf_chip.clock_irq != CF_IRQ_CORE) {
        enable((uint32_t)cf_chip.clock_irq);
    }
}

const struct cf_irq_driver cf_nvic = {.start = start};
