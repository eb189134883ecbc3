/* Netduino Plus 2. */
#include "hal/mcu.h"

CF_MCU_BUFFERS(1024, 8192, 1024);
CF_MCU_BAUDS(115200, 230400, 460800, 921600, 1000000, 2000000);

const struct cf_mcu_board cf_board = {
    .crystal_hz = 25000000,
    CF_MCU_BOARD("netduinoplus2"),
};
