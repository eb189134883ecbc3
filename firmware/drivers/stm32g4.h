/* STM32G4: reference manual RM0440. 170 MHz from the crystal of the board or, where there is none, from the internal oscillator; USART2 on
 * PA2 (sends) and PA3 (receives), which go to the ST-Link of a Nucleo. */
#ifndef CF_STM32G4_H
#define CF_STM32G4_H

#include "arch/cortex-m/devices.h"
#include "platform/chip.h"

#define USART2 0x40004400u
#define USART2_IRQ 38

#define AHB2ENR_PORT_A (1u << 0)
#define APB1ENR1_PWR (1u << 28)
#define APB1ENR1_USART2 (1u << 17)
#define PWR_CR5 0x40007080u
#define PWR_CR5_BOOST 0u /* without bit 8, R1MODE: for more than 150 MHz */

CF_VECTORS(USART2_IRQ, USART2_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(1, 3, 32760);

const struct cf_chip cf_chip = {
    .uart = &cf_stm32_usart2,
    .uart_base = USART2,
    .uart_irq = USART2_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
};

#define STM32L4_CORE_HZ 170000000u
#define STM32L4_INPUT_HZ 4000000u
#define STM32L4_FACTOR 85u
#define STM32L4_WAIT_STATES 4u
#define STM32L4_CR 0u
#define STM32L4_ACR (1u << 18) /* a debugger may use flash memory, as after reset */
#define STM32L4_POWER CF_WRITE(RCC_APB1ENR1, APB1ENR1_PWR), CF_WRITE(PWR_CR5, PWR_CR5_BOOST)
#define STM32L4_ENABLE CF_WRITE(RCC_AHB2ENR, AHB2ENR_PORT_A), CF_WRITE(RCC_APB1ENR1, APB1ENR1_PWR | APB1ENR1_USART2)
#define STM32L4_PORT 0u
#define STM32L4_PIN 2u
#define STM32L4_MODER 0xabffffffu
#define STM32L4_OSPEEDR 0x0c000000u
#define STM32L4_PUPDR 0x64000000u

#include "drivers/stm32l4.h"

#endif
