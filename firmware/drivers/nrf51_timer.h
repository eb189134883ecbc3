/* TIMER0 of the Nordic nRF51, whose core has no SysTick: 32 bits at 16 MHz, with comparators. */
#ifndef CF_NRF51_TIMER_H
#define CF_NRF51_TIMER_H

#include "drivers/clock.h"

#define CF_NRF51_TIMER_HZ 16000000u
#define CF_NRF51_TIMER_IRQ 8

extern const struct cf_clock_driver cf_nrf51_timer;

#endif
