/* STM32 Nucleo-F446RE: the ST-Link gives its 8 MHz to the oscillator pin. */
#include "hal/mcu.h"

CF_MCU_BUFFERS(1024, 8192, 1024);
CF_MCU_BAUDS(115200, 230400, 460800, 921600);

const struct cf_mcu_board cf_board = {
    .crystal_hz = 8000000,
    CF_MCU_BOARD("nucleo-f446re"),
};
