/*
 * What a clock driver does: a counter, with an alarm; one constant per driver, named by the chip that has such a
 * clock. All functions are called with interrupts masked, or from the clock's interrupt.
 */
#ifndef CF_CLOCK_H
#define CF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "hal/hal.h"

struct cf_clock_driver {
    /* Starts it, unless it runs already, without an alarm, in whatever state it is. */
    void (*start)(void);

    /* Ticks since some start, never going back. */
    cf_moment (*now)(void);

    /* Raises the interrupt when now() reaches `at`: soon if it has. It may come early, as where a comparator has fewer bits than
     * the clock: who set the alarm looks at the clock and sets it again. Where moments have 64 bits CF_NEVER takes it back, also when it
     * has gone off. */
    void (*alarm)(cf_moment at);

    /* Counts what the interrupt stands for, before the alarm is set again or taken back; NULL where that is nothing. */
    void (*interrupt)(void);

    /* The same for an interrupt that is pending, which does not come any more then: now() stays right however long interrupts are masked.
     * NULL where it does anyway. */
    void (*catch_up)(void);

    /* Where an alarm may cost ticks: from now on none that is set for every `period` ticks, or for a later time, does. NULL where none
     * ever does. */
    void (*pace)(cf_number period);

    uint32_t early; /* ticks: an alarm may come so much early where it costs none */
};

extern const struct cf_clock_driver cf_a9_timer;      /* global timer of the Cortex-A9 MPCore, at PERIPHBASE + 0x200 */
extern const struct cf_clock_driver cf_bcm_timer;     /* system timer of the BCM2835 */
extern const struct cf_clock_driver cf_clint;         /* machine timer of hart 0 of RISC-V chips; CF_IRQ_CORE */
extern const struct cf_clock_driver cf_esp_systimer;  /* unit 0 of the system timer of the ESP32-C3, and its target 0 */
extern const struct cf_clock_driver cf_generic_timer; /* of Arm cores: the virtual counter and its comparator */
extern const struct cf_clock_driver cf_nrf51_timer;   /* TIMER0 of the Nordic nRF51 and nRF52 */

#define CF_A9_TIMER_IRQ 27 /* private interrupt 11 */
#define CF_BCM_TIMER_IRQ 1 /* of comparator 1: the graphics core uses 0 and 2 */
#define CF_BCM_TIMER_HZ 1000000u
#define CF_ESP_SYSTIMER_IRQ 37 /* source of the interrupt matrix */
#define CF_ESP_SYSTIMER_HZ 16000000u
#define CF_GENERIC_TIMER_IRQ 27 /* private interrupt 11 */
#define CF_NRF51_TIMER_IRQ 8
#define CF_NRF51_TIMER_HZ 16000000u

/* Rate of the generic timer, as start-up code or firmware has stated it. */
uint32_t cf_generic_timer_hz(void);

#endif
