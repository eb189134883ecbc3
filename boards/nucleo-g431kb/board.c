/* STM32 Nucleo-G431KB: without a crystal. */
#include "platform/board.h"

CF_BUFFERS(512, 2048);
CF_SAMPLES(128);
CF_LIVE(2048);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {CF_BOARD("nucleo-g431kb"), CF_WATCHDOG, CF_LINKED_MEMORY};
