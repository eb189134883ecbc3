/* For the board.c of a Nucleo with an STM32F4: the 8 MHz of its ST-Link, and what holds a stored program. RM0090, chapter GPIO. */
#ifndef CF_STM32F4_HOLD_H
#define CF_STM32F4_HOLD_H

#include "drivers/steps.h"

/* The blue button on PC13, which is 1 or 0 while it is pressed, and a low line at a pin of port 0 (A) or another. */
#define CF_NUCLEO_F4(pressed, port, pin)                                                                               \
    .crystal_hz = 8000000,                                                                                             \
    .hold = {                                                                                                          \
        .steps = CF_STEPS(CF_WRITE(0x40023830u, 1u << 2 | 1u << (port))), /* RCC_AHB1ENR */                            \
        .level = {{0x40020810u, 1u << 13, (pressed) << 13}, {0x40020010u + 0x400u * (port), 1u << (pin), 0}}, /* IDR */\
    }

#endif
