/* Stellaris LM3S6965 evaluation board. */
#include "hal/mcu.h"

CF_MCU_BUFFERS(512, 4096, 256);
CF_MCU_BAUDS(115200, 230400, 460800, 921600);

const struct cf_mcu_board cf_board = {CF_MCU_BOARD("lm3s6965evb")};
