/* Nordic nRF52840, with the pins of the debug probe on its development kit: P0.06 sends, P0.08 receives. */
#define NRF5_TXD 6u
#define NRF5_RXD 8u
#define STORE_BASE 0xe0000u

#include "drivers/nrf52.h"
