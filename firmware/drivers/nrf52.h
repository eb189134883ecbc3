/*
 * What nRF52833 and nRF52840 share. Four cycles of the processor are a count of TIMER0. The chip defines before it includes this, beside the
 * pins of the UART:
 *
 *   STORE_BASE      of its flash memory
 *   EASYDMA_WORDS   where 24 bytes of RAM are that nobody else has: memory.ld leaves them out, and chip.json has them as WORDS
 *   PWM0_PINS       four pins each, numbered as those of the UART, which pins of chip.json have in the same order
 *   PWM1_PINS
 */
#ifndef CF_NRF52_H
#define CF_NRF52_H

#define NRF5_GUARD (CF_M_GUARD_FIFO / 4)

/* A byte takes 0.12 ms (chapter RNG). A turn is at least 7 cycles at 64 MHz: 7 ms. */
#define NRF5_NOISE 64000u

/* The last pages of the flash memory. */
#define NRF5_STORE                                                                                                     \
    {.length = 0x10000, .page = 4096, .unit = 4, .erase_ms = 85, .slots = (const uint8_t *)(uintptr_t)STORE_BASE, .first = 32}

/*
 * Chapters SAADC and PWM: where the result of a conversion goes, and where the widths of pulses come from, in both sequences of a PWM. Lists
 * for the pins reach neither these registers, as a device could reach all of RAM for them, nor the choice of pins, of which the UART has two.
 */
#define SAADC_RESULT 0x4000762cu /* PTR, MAXCNT */
#define PWM0 0x4001c000u
#define PWM1 0x40021000u
#define PWM_SEQUENCE(pwm, n) ((pwm) + 0x520u + 0x20u * (n)) /* PTR, CNT */
#define PWM_PSEL(pwm, n) ((pwm) + 0x560u + 4u * (n))
#define PSEL_DISCONNECTED 0x80000000u

#define NRF52_PWM(pwm, words, ...) NRF52_PWM_(pwm, words, __VA_ARGS__)
#define NRF52_PWM_(pwm, words, pin0, pin1, pin2, pin3)                                                                 \
    CF_WRITE(PWM_SEQUENCE(pwm, 0), words), CF_WRITE(PWM_SEQUENCE(pwm, 0) + 4u, 4),                                     \
        CF_WRITE(PWM_SEQUENCE(pwm, 1), words), CF_WRITE(PWM_SEQUENCE(pwm, 1) + 4u, 4),                                 \
        CF_WRITE(PWM_PSEL(pwm, 0), PSEL_DISCONNECTED | (pin0)), CF_WRITE(PWM_PSEL(pwm, 1), PSEL_DISCONNECTED | (pin1)), \
        CF_WRITE(PWM_PSEL(pwm, 2), PSEL_DISCONNECTED | (pin2)), CF_WRITE(PWM_PSEL(pwm, 3), PSEL_DISCONNECTED | (pin3))

#define NRF5_EASYDMA                                                                                                   \
    CF_WRITE(SAADC_RESULT, EASYDMA_WORDS), CF_WRITE(SAADC_RESULT + 4u, 1),                                             \
        NRF52_PWM(PWM0, EASYDMA_WORDS + 8u, PWM0_PINS), NRF52_PWM(PWM1, EASYDMA_WORDS + 16u, PWM1_PINS)

#include "drivers/nrf5.h"

#endif
