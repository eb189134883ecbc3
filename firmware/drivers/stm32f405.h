/*
 * What is the same on every board with an STM32F405, whatever USART its line is: reference manual RM0090. The chip defines before it
 * includes this, beside what stm32f4.h asks for but the last two:
 *
 *   STM32F405_USART STM32F405_IRQ    the device and its interrupt
 *   STM32F405_ENABLE_UART            its bit in APB2ENR
 *   STM32F405_ENABLE_PORT            that of its pins' port in AHB1ENR
 */
#ifndef CF_STM32F405_H
#define CF_STM32F405_H

#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/noise.h"
#include "platform/chip.h"

#define RCC 0x40023800u
#define RCC_AHB1ENR (RCC + 0x30u)
#define RCC_AHB2ENR (RCC + 0x34u)
#define RCC_APB1ENR (RCC + 0x40u)
#define RCC_APB2ENR (RCC + 0x44u)
#define AHB1ENR_RESET 0x00100000u /* core-coupled memory */
#define APB1ENR_PWR (1u << 28)

#define RNG_ENABLE (1u << 6)
#define RNG_CR 0x50060800u
#define RNG_DR 0x50060808u
#define RNG_ON (1u << 2)

/* A number takes 40 cycles of the PLL's 48 MHz, and is read as 0 before. Without the PLL there is none. */
#define RNG_TURNS 1000u

uint32_t cf_chip_noise(void) {
    cf_mmio_write(RCC_AHB2ENR, RNG_ENABLE);
    cf_mmio_write(RNG_CR, RNG_ON);
    return cf_noise(RNG_DR, RNG_TURNS);
}

CF_VECTORS(STM32F405_IRQ, STM32F405_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(1, 3, 32760);

/* Sectors 10 and 11, the last ones. */
const struct cf_store_memory cf_hal_store_memory = {
    .length = 0x20000,
    .page = 0x20000,
    .unit = 4,
    .erase_ms = 2000,
    .slots = (const uint8_t *)(uintptr_t)0x080c0000u,
    .first = 32,
};

const struct cf_chip cf_chip = {
    .uart = &cf_stm32_usart,
    .uart_base = STM32F405_USART,
    .uart_irq = STM32F405_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
    .flash = &cf_stm32f4_flash,
};

#define STM32F4_OSCILLATOR CR_HSEON
#define STM32F4_ENABLE                                                                                                 \
    CF_WRITE(RCC_AHB1ENR, AHB1ENR_RESET | STM32F405_ENABLE_PORT), CF_WRITE(RCC_APB2ENR, STM32F405_ENABLE_UART)
#define STM32F4_UART_DIVIDE 2u

#include "drivers/stm32f4.h"

#endif
