/* STM32 Nucleo-F767ZI: the ST-Link gives its 8 MHz to the oscillator pin. */
#include "platform/board.h"

CF_BUFFERS(2048, 16384);
CF_SAMPLES(1024);
CF_LIVE(16384);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {.crystal_hz = 8000000, CF_BOARD("nucleo-f767zi"), CF_WATCHDOG, CF_LINKED_MEMORY};
