/* STM32 Nucleo-F446RE: the ST-Link gives its 8 MHz to the oscillator pin. */
#include "drivers/stm32f4_hold.h"
#include "platform/board.h"

CF_BUFFERS(1024, 8192);
CF_SAMPLES(1024);
CF_LIVE(12288);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {CF_NUCLEO_F4(0u, 0u, 3), CF_BOARD("nucleo-f446re"), CF_WATCHDOG, CF_STORE, CF_LINKED_MEMORY};
