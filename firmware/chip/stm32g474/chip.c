/* STM32G474. */
#include "drivers/stm32g4.h"
