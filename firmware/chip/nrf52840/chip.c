/* Nordic nRF52840, with the pins of the debug probe on its development kit: P0.06 sends, P0.08 receives. */
#define NRF5_TXD 6u
#define NRF5_RXD 8u
#define STORE_BASE 0xe0000u
#define EASYDMA_WORDS 0x2003ffc0u
/* The LEDs; D3, D5, D6 and D9. */
#define PWM0_PINS 13u, 14u, 15u, 16u
#define PWM1_PINS 32u + 4u, 32u + 6u, 32u + 7u, 32u + 11u

#include "drivers/nrf52.h"
