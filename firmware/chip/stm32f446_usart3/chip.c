/* STM32F446 as on the Nucleo-F446ZE, whose ST-Link is at USART3, on PD8 (sends) and PD9 (receives): reference manual RM0390. */
#define NUCLEO_USART 0x40004800u
#define NUCLEO_IRQ 39
#define NUCLEO_ENABLE_USART (1u << 18)
#define NUCLEO_PORT 3u
#define STM32F4_PIN 8u

#include "drivers/stm32f4_nucleo.h"
