/* Raspberry Pi Pico 2: UART 0 on its pins 1 and 2 (GP0 sends, GP1 receives). */
#include "platform/board.h"

CF_BUFFERS(1024, 8192);
CF_SAMPLES(1024);
CF_LIVE(32768);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {
    .crystal_hz = 12000000,
    CF_BOARD("pico2"),
    CF_WATCHDOG,
    CF_LINKED_MEMORY,
};
