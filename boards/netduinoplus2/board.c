/* Netduino Plus 2. */
#include "platform/board.h"

CF_BUFFERS(1024, 8192);
CF_SAMPLES(1024);
CF_LIVE(12288);
CF_BAUDS(115200, 230400, 460800, 921600, 1000000, 2000000);

#define GPIOC_IDR 0x40020810u

const struct cf_board cf_board = {
    .crystal_hz = 25000000,
    .hold = {.level = {{GPIOC_IDR, 1u << 7, 0}}}, /* the line */
    CF_BOARD("netduinoplus2"),
    CF_WATCHDOG,
    CF_STORE,
    CF_LINKED_MEMORY,
};
