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

#endif
