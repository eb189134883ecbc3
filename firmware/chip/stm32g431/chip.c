/* STM32G431. */
#include "drivers/stm32g4.h"
