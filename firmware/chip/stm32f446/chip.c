/* STM32F446 as on Nucleo boards: reference manual RM0390. USART2 on PA2 (sends) and PA3 (receives), which go to the ST-Link,
 * and the clock of the ST-Link as the crystal. */
#include "arch/cortex-m/devices.h"
#include "platform/chip.h"

#define USART2 0x40004400u
#define USART2_IRQ 38

#define RCC 0x40023800u
#define RCC_AHB1ENR (RCC + 0x30u)
#define RCC_APB1ENR (RCC + 0x40u)
#define AHB1ENR_PORT_A (1u << 0)
#define APB1ENR_PWR (1u << 28)
#define APB1ENR_USART2 (1u << 17)

CF_VECTORS(USART2_IRQ, USART2_IRQ);

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
    .uart_base = USART2,
    .uart_irq = USART2_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
    .flash = &cf_stm32f4_flash,
};

#define STM32F4_OSCILLATOR (5u << 16) /* another chip's clock */
#define STM32F4_ENABLE CF_WRITE(RCC_AHB1ENR, AHB1ENR_PORT_A), CF_WRITE(RCC_APB1ENR, APB1ENR_PWR | APB1ENR_USART2)
#define STM32F4_PORT 0x40020000u
#define STM32F4_PIN 2u
#define STM32F4_FUNCTION 7u
#define STM32F4_UART_DIVIDE 4u

#include "drivers/stm32f4.h"
