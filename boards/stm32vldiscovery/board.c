/* STM32VLDISCOVERY. */
#include "platform/board.h"

CF_BUFFERS(256, 1024);
CF_SAMPLES(64);
CF_LIVE(768);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {CF_BOARD("stm32vldiscovery"), CF_WATCHDOG, CF_LINKED_MEMORY};
