/* BBC micro:bit, version 1. */
#include "hal/mcu.h"

CF_MCU_BUFFERS(256, 1024, 64);
CF_MCU_BAUDS(115200, 57600, 38400, 19200, 9600);

const struct cf_mcu_board cf_board = {CF_MCU_BOARD("microbit")};
