/* Global timer of the Cortex-A9 MPCore: 64 bits, a comparator of 64 bits. */
#ifndef CF_A9_TIMER_H
#define CF_A9_TIMER_H

#include <stdint.h>

#define CF_A9_TIMER_IRQ 27u /* private interrupt 11 */

/* Starts the counter, at the rate of PERIPHCLK, unless it runs already. `base` is PERIPHBASE + 0x200. */
void cf_a9_timer_init(uintptr_t base);

uint64_t cf_a9_timer_now(uintptr_t base);
void cf_a9_timer_arm(uintptr_t base, uint64_t at);
void cf_a9_timer_disarm(uintptr_t base);

#endif
