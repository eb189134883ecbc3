/* System timer of the BCM2835: 64 bits at 1 MHz, comparators of 32 bits. The graphics core uses comparators 0 and 2. */
#ifndef CF_BCM_TIMER_H
#define CF_BCM_TIMER_H

#include <stdint.h>

#define CF_BCM_TIMER_HZ 1000000u
#define CF_BCM_TIMER_IRQ 1u /* of comparator 1 */

uint64_t cf_bcm_timer_now(uintptr_t base);

/* May raise the interrupt early, when `at` is more than half an hour away. */
void cf_bcm_timer_arm(uintptr_t base, uint64_t at);
void cf_bcm_timer_disarm(uintptr_t base);

#endif
