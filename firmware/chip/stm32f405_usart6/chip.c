/* STM32F405 as on the Netduino Plus 2, whose header has neither PA9 nor PA10: USART6 on PC6 (sends, D1) and PC7 (receives, D0). */
#define STM32F405_USART 0x40011400u
#define STM32F405_IRQ 71
#define STM32F405_ENABLE_UART (1u << 5)
#define STM32F405_ENABLE_PORT (1u << 2)

#define STM32F4_PORT 0x40020800u
#define STM32F4_PIN 6u
#define STM32F4_FUNCTION 8u

#include "drivers/stm32f405.h"
