/* Pins of the BCM2835 and its successors. */
#ifndef CF_BCM_GPIO_H
#define CF_BCM_GPIO_H

#include <stdint.h>

/* Gives pins 14 and 15 to the PL011, as pins 8 and 10 of the header. `gpio` is the base of the registers. Pulls the
 * input up as the BCM2835, 2836 and 2837 do. */
void cf_bcm_gpio_uart(uintptr_t gpio);

/* The same for the BCM2711, whose pull resistors have other registers. */
void cf_bcm_gpio_uart_2711(uintptr_t gpio);

#endif
