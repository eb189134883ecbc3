/* Nordic nRF51822, with the pins of the micro:bit's USB interface chip. Flash memory: product specification of the nRF51822. */
#define NRF5_TXD 24u
#define NRF5_RXD 25u
#define NRF5_GUARD CF_M_GUARD_FIFO

/* A byte takes 0.17 ms. A turn is at least 7 cycles at 16 MHz: 7 ms. */
#define NRF5_NOISE 16000u

/* The last pages of the flash memory: more than fit its RAM. */
#define NRF5_STORE                                                                                                     \
    {.length = 0x8000, .page = 1024, .unit = 4, .erase_ms = 23, .slots = (const uint8_t *)(uintptr_t)0x30000u, .first = 32}

#include "drivers/nrf5.h"
