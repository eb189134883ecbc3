/* Interrupt controllers of the BCM2835, BCM2836 and BCM2837: the one of the peripherals, and, from the BCM2836 on, a
 * second one before it with the sources of each core. */
#ifndef CF_BCM_INTC_H
#define CF_BCM_INTC_H

#include <stdint.h>

/* Disables every source at `base` (peripherals + 0xb200) but those whose bits are set, interrupts 0 to 63. */
void cf_bcm_intc_init(uintptr_t base, uint64_t enabled);

/* Interrupts that are pending and enabled. */
uint64_t cf_bcm_intc_pending(uintptr_t base);

#define CF_BCM_LOCAL_TIMER (1u << 3)      /* virtual timer of this core */
#define CF_BCM_LOCAL_PERIPHERAL (1u << 8) /* anything enabled in the peripheral controller */

/* Sends virtual timer and peripheral interrupts, and nothing else, to core 0. `base` is 0x40000000. */
void cf_bcm_local_init(uintptr_t base);

/* CF_BCM_LOCAL_* bits that are pending on core 0. */
uint32_t cf_bcm_local_pending(uintptr_t base);

#endif
