/* Random numbers of the BCM2835 and its successors. */
#ifndef CF_BCM_RNG_H
#define CF_BCM_RNG_H

#include <stdint.h>

/* Start the generator of a BCM2835, 2836 or 2837, and that of a BCM2711, with registers at `rng`. */
void cf_bcm_rng_start(uintptr_t rng);
void cf_bcm_rng_start_2711(uintptr_t rng);

/* A number, or 0 if none comes in some milliseconds. */
uint32_t cf_bcm_rng(uintptr_t rng);
uint32_t cf_bcm_rng_2711(uintptr_t rng);

#endif
