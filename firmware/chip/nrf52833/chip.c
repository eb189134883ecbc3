/* Nordic nRF52833, with the pins of the USB interface chip of a micro:bit of version 2: P0.06 sends, P1.08 receives. */
#define NRF5_TXD 6u
#define NRF5_RXD (32u + 8u)
#define STORE_BASE 0x60000u
#define EASYDMA_WORDS 0x2001ffc0u
/* At the edge connector 0, 1, 2, 12; 13 to 16. */
#define PWM0_PINS 2u, 3u, 4u, 12u
#define PWM1_PINS 17u, 1u, 13u, 32u + 2u

#include "drivers/nrf52.h"
