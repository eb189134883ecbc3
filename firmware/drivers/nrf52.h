/* What nRF52833 and nRF52840 share. Four cycles of the processor are a count of TIMER0. */
#ifndef CF_NRF52_H
#define CF_NRF52_H

#define NRF5_GUARD (CF_M_GUARD_FIFO / 4)

/* A byte takes 0.12 ms (chapter RNG). A turn is at least 7 cycles at 64 MHz: 7 ms. */
#define NRF5_NOISE 64000u

/* The last pages of the flash memory. */
#define NRF5_STORE                                                                                                     \
    {.length = 0x10000, .page = 4096, .unit = 4, .erase_ms = 85, .slots = (const uint8_t *)(uintptr_t)STORE_BASE, .first = 32}

#include "drivers/nrf5.h"

#endif
