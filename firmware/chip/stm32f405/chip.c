/* STM32F405: reference manual RM0090. USART1 on PA9 (sends) and PA10 (receives), which its boot loader in ROM uses, too. */
#define STM32F405_USART 0x40011000u
#define STM32F405_IRQ 37
#define STM32F405_ENABLE_UART (1u << 4)
#define STM32F405_ENABLE_PORT (1u << 0)

#define STM32F4_PORT 0x40020000u
#define STM32F4_PIN 9u
#define STM32F4_FUNCTION 7u

#include "drivers/stm32f405.h"
