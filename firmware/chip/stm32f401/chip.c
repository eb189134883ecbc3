/* STM32F401xE as on the Nucleo-F401RE: reference manual RM0368. 84 MHz is 336 by 4, and 48 MHz is that by 7. */
#define STM32F4_MHZ 84u
#define STM32F4_PLL (336u << 6 | 1u << 16 | 7u << 24)
#define STM32F4_SCALE (2u << 14)
#define STM32F4_WAIT_STATES 2u
#define STM32F4_BUSES CFGR_APB1_2
#define STM32F4_UART_DIVIDE 2u

#include "drivers/stm32f4_nucleo.h"
