/* STM32L475: reference manual RM0351. 80 MHz from the internal oscillator; USART1 on PB6 (sends) and PB7 (receives), which go to the
 * ST-Link of an IoT node. */
#include "arch/cortex-m/devices.h"
#include "platform/chip.h"

#define USART1 0x40013800u
#define USART1_IRQ 37

#define AHB2ENR_PORT_B (1u << 1)
#define APB1ENR1_PWR (1u << 28)
#define APB2ENR_USART1 (1u << 14)
#define PWR_CR1 0x40007000u
#define PWR_CR1_RANGE_1 (1u << 9) /* as after reset, up to 80 MHz */

CF_VECTORS(USART1_IRQ, USART1_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(1, 3, 32760);

const struct cf_chip cf_chip = {
    .uart = &cf_stm32_usart2,
    .uart_base = USART1,
    .uart_irq = USART1_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
};

#define STM32L4_CORE_HZ 80000000u
#define STM32L4_INPUT_HZ 16000000u
#define STM32L4_FACTOR 10u
#define STM32L4_WAIT_STATES 4u
#define STM32L4_CR 0x61u /* the oscillator of 4 MHz, which the core has after reset */
#define STM32L4_ACR 0u
#define STM32L4_POWER CF_WRITE(RCC_APB1ENR1, APB1ENR1_PWR), CF_WRITE(PWR_CR1, PWR_CR1_RANGE_1)
#define STM32L4_ENABLE CF_WRITE(RCC_AHB2ENR, AHB2ENR_PORT_B), CF_WRITE(RCC_APB2ENR, APB2ENR_USART1)
#define STM32L4_PORT 1u
#define STM32L4_PIN 6u
#define STM32L4_MODER 0xfffffebfu
#define STM32L4_OSPEEDR 0u
#define STM32L4_PUPDR 0x100u

#include "drivers/stm32l4.h"
