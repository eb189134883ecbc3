/* Clocks and pins of the RP2 family, whose devices are the same at other addresses. */
#ifndef CF_RP2_H
#define CF_RP2_H

#include "platform/chip.h"

struct cf_rp2 {
    uintptr_t clocks;
    uintptr_t resets;
    uintptr_t xosc;
    uintptr_t pll; /* of the system */
    uintptr_t io;  /* bank 0 */
    uintptr_t pads;
    uint32_t reset_io; /* bits in RESETS */
    uint32_t reset_pads;
    uint32_t reset_pll;
    uint32_t reset_uart;
    uint32_t ring_hz; /* of the ring oscillator, nominal: it runs if the crystal does not */
    uint32_t divide[2]; /* the PLL gives 1500 MHz divided by both, 1 to 7 each, the larger one first */
};

/* Sets the clocks, takes the devices out of reset and gives GPIO 0 and 1 to UART 0 (sends, receives). */
struct cf_rates cf_rp2_init(const struct cf_rp2 *chip);

#endif
