/* STM32 Nucleo-G474RE: a crystal of 24 MHz is on the board. */
#include "platform/board.h"

CF_BUFFERS(1024, 8192);
CF_SAMPLES(1024);
CF_LIVE(12288);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {.crystal_hz = 24000000, CF_BOARD("nucleo-g474re"), CF_WATCHDOG, CF_LINKED_MEMORY};
