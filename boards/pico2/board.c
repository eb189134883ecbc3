/* Raspberry Pi Pico 2: UART 0 on its pins 1 and 2 (GP0 sends, GP1 receives). */
#include "platform/board.h"

CF_BUFFERS(1024, 8192);
CF_SAMPLES(1024);
CF_LIVE(32768);
CF_BAUDS(115200, 230400, 460800, 921600);

#define SIO_GPIO_IN 0xd0000004u

const struct cf_board cf_board = {
    .crystal_hz = 12000000,
    .hold = {.level = {{SIO_GPIO_IN, 1u << 1, 0}}}, /* the line: GP1, which may be connected to ground */
    CF_BOARD("pico2"),
    CF_WATCHDOG,
    CF_STORE,
    CF_LINKED_MEMORY,
};
