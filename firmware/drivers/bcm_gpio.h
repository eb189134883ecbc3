/* Pins of the BCM2835 and its successors. */
#ifndef CF_BCM_GPIO_H
#define CF_BCM_GPIO_H

#include <stdint.h>

/* Clock of the PL011, which the config.txt of each board sets (init_uart_clock): 115200 to 3000000 baud within 0.2 %. */
#define CF_BCM_UART_HZ 48000000u

/* Gives pins 14 and 15 to the PL011, as pins 8 and 10 of the header. `gpio` is the base of the registers. Pulls the
 * input up as the BCM2835, 2836 and 2837 do. */
void cf_bcm_gpio_uart(uintptr_t gpio);

/* The same for the BCM2711, whose pull resistors have other registers. */
void cf_bcm_gpio_uart_2711(uintptr_t gpio);

#endif
