/* Interrupt controllers of the BCM2836 and BCM2837: per-core sources, and the older controller of the peripherals
 * behind one of them. */
#ifndef CF_BCM_INTC_H
#define CF_BCM_INTC_H

#include <stdint.h>

struct cf_bcm_intc {
    uintptr_t peripheral; /* ARM interrupt controller, peripherals + 0xb200 */
    uintptr_t local;      /* core-local block, 0x40000000 */
};

#define CF_BCM_LOCAL_TIMER (1u << 3)       /* virtual timer of this core */
#define CF_BCM_LOCAL_PERIPHERAL (1u << 8)  /* anything enabled in the peripheral controller */

/* Disables every source, then enables the virtual timer and peripheral interrupt `irq` (0 to 63) on core 0. */
void cf_bcm_intc_init(const struct cf_bcm_intc *intc, uint32_t irq);

/* CF_BCM_LOCAL_* bits that are pending on core 0. */
uint32_t cf_bcm_intc_pending(const struct cf_bcm_intc *intc);

#endif
