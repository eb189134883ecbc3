/* The core's own interrupt controller: start-up code has enabled the interrupts that have vectors. It never has more than one active:
 * handlers do not nest. */
#include "arch/cortex-m/devices.h"

static void start(void) {
}

const struct cf_irq_driver cf_nvic = {.start = start};
