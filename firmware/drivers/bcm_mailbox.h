/* What the VideoCore of a Raspberry Pi, which keeps its clocks and its voltage, is asked by its mailbox. */
#ifndef CF_BCM_MAILBOX_H
#define CF_BCM_MAILBOX_H

#include <stdint.h>

/* Where the VideoCore sees the RAM of the cores: through the second-level cache that both share on a BCM2835, past it on others. */
#define CF_BCM_CACHED 0x40000000u
#define CF_BCM_UNCACHED 0xc0000000u

/* Has the PL011 clocked at 48 MHz, from which 115200 to 3000000 baud come within 0.2 %, and returns the rate that it has: that, unless
 * the VideoCore says another one. `mailbox` is the base of the registers. */
uint32_t cf_bcm_uart_hz(uintptr_t mailbox, uint32_t view);

/* Bits CF_CONDITION_* of heat and voltage. */
uint32_t cf_bcm_conditions(uintptr_t mailbox, uint32_t view);

#endif
