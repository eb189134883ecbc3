/* STM32 Nucleo-F401RE: the ST-Link gives its 8 MHz to the oscillator pin. */
#include "drivers/stm32f4_hold.h"
#include "platform/board.h"

CF_BUFFERS(512, 4096);
CF_SAMPLES(256);
CF_LIVE(4096);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {CF_NUCLEO_F4(0u, 0u, 3), CF_BOARD("nucleo-f401re"), CF_WATCHDOG, CF_STORE, CF_LINKED_MEMORY};
