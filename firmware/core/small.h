/* Whether size comes before speed: on microcontrollers, whose flash memory is scarce and whose line is slower than either. */
#ifndef CF_SMALL_H
#define CF_SMALL_H

#ifndef CF_SMALL
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define CF_SMALL 1
#else
#define CF_SMALL 0
#endif
#endif

/* Whether the clock may have more than 214 MHz: then the longest limit of a run is less than 2^31 counts, which is as far apart as moments of 32
 * bits can be told. */
#ifndef CF_FAST
#define CF_FAST 0
#endif

#endif
