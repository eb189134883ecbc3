/* STM32VLDISCOVERY. */
#include "hal/mcu.h"

CF_MCU_BUFFERS(256, 1024, 64);
CF_MCU_BAUDS(115200, 230400, 460800, 921600);

const struct cf_mcu_board cf_board = {CF_MCU_BOARD("stm32vldiscovery")};
