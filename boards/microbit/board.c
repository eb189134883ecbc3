/* BBC micro:bit, version 1. */
#include "platform/board.h"

CF_BUFFERS(256, 1024);
CF_SAMPLES(64);
CF_LIVE(1024);
CF_BAUDS(115200, 57600, 38400, 19200, 9600);

const struct cf_board cf_board = {CF_BOARD("microbit"), CF_WATCHDOG, CF_LINKED_MEMORY};
