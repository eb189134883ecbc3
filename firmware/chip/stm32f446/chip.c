/* STM32F446 as on the Nucleo-F446RE: reference manual RM0390. */
#include "drivers/stm32f4_nucleo.h"
