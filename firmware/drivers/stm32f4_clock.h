/* Clocks and pins of the STM32F4: 168 MHz from a crystal or, where there is none or it does not start, from the internal
 * oscillator, which is within 1 % at room temperature. */
#ifndef CF_STM32F4_CLOCK_H
#define CF_STM32F4_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the core's clock in Hz, of which APB1 has a quarter and APB2 half. crystal_hz is a multiple of 1 MHz, or 0. bypass: it
 * is not a crystal, but another chip's clock. */
uint32_t cf_stm32f4_clock(uint32_t crystal_hz, bool bypass);

/* Gives pin `first` and the one behind it, both 0 to 7 or both 8 to 15, of port 0 (A), 1 (B), ... to alternate function 0 to 15. */
void cf_stm32f4_pins(uint32_t port, uint32_t first, uint32_t function);

#define CF_STM32F4_RCC 0x40023800u
#define CF_STM32F4_AHB2ENR (CF_STM32F4_RCC + 0x34u)
#define CF_STM32F4_APB1ENR (CF_STM32F4_RCC + 0x40u)
#define CF_STM32F4_APB2ENR (CF_STM32F4_RCC + 0x44u)

#endif
