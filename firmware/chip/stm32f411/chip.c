/* STM32F411xE as on the Nucleo-F411RE: reference manual RM0383. 100 MHz is 400 by 4; no Q makes 48 MHz of that, and nothing here takes it. */
#define STM32F4_MHZ 100u
#define STM32F4_PLL (400u << 6 | 1u << 16 | 9u << 24)
#define STM32F4_SCALE (3u << 14)
#define STM32F4_WAIT_STATES 3u
#define STM32F4_BUSES CFGR_APB1_2
#define STM32F4_UART_DIVIDE 2u

#include "drivers/stm32f4_nucleo.h"
