/* Raspberry Pi Pico: UART 0 on its pins 1 and 2 (GP0 sends, GP1 receives). */
#include "hal/mcu.h"

CF_MCU_BUFFERS(1024, 8192, 1024);
CF_MCU_BAUDS(115200, 230400, 460800, 921600);

const struct cf_mcu_board cf_board = {
    .crystal_hz = 12000000,
    CF_MCU_BOARD("pico"),
};
