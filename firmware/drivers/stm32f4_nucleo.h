/*
 * What is the same on Nucleo boards with an STM32F4 of 512 KiB flash memory: the clock of the ST-Link as the crystal, and the UART that goes
 * to the ST-Link. The chip may define before it includes this, beside what stm32f4.h asks for:
 *
 *   NUCLEO_USART and its like      where that is not USART2 on PA2 (sends) and PA3 (receives)
 */
#ifndef CF_STM32F4_NUCLEO_H
#define CF_STM32F4_NUCLEO_H

#include "arch/cortex-m/devices.h"
#include "platform/chip.h"

#define RCC 0x40023800u
#define RCC_AHB1ENR (RCC + 0x30u)
#define RCC_APB1ENR (RCC + 0x40u)
#define APB1ENR_PWR (1u << 28)

#ifndef NUCLEO_USART
#define NUCLEO_USART 0x40004400u
#define NUCLEO_IRQ 38
#define NUCLEO_ENABLE_USART (1u << 17) /* in APB1ENR */
#define NUCLEO_PORT 0u                 /* A */
#define STM32F4_PIN 2u
#endif

CF_VECTORS(NUCLEO_IRQ, NUCLEO_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(1, 3, 32760);

/* Sectors 6 and 7, the last ones. */
const struct cf_store_memory cf_hal_store_memory = {
    .length = 0x20000,
    .page = 0x20000,
    .unit = 4,
    .erase_ms = 2000,
    .slots = (const uint8_t *)(uintptr_t)0x08040000u,
    .first = 32,
};

const struct cf_chip cf_chip = {
    .uart = &cf_stm32_usart,
    .uart_base = NUCLEO_USART,
    .uart_irq = NUCLEO_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
    .flash = &cf_stm32f4_flash,
};

#define STM32F4_OSCILLATOR (5u << 16) /* another chip's clock */
#define STM32F4_ENABLE                                                                                                 \
    CF_WRITE(RCC_AHB1ENR, 1u << NUCLEO_PORT), CF_WRITE(RCC_APB1ENR, APB1ENR_PWR | NUCLEO_ENABLE_USART)
#define STM32F4_PORT (0x40020000u + 0x400u * NUCLEO_PORT)
#define STM32F4_FUNCTION 7u
#ifndef STM32F4_UART_DIVIDE
#define STM32F4_UART_DIVIDE 4u
#endif

#include "drivers/stm32f4.h"

#endif
