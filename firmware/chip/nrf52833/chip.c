/* Nordic nRF52833, with the pins of the USB interface chip of a micro:bit of version 2: P0.06 sends, P1.08 receives. */
#define NRF5_TXD 6u
#define NRF5_RXD (32u + 8u)
#define STORE_BASE 0x60000u

#include "drivers/nrf52.h"
