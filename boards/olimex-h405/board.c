/* Olimex STM32-H405; also other boards with an STM32F405, a crystal of 8 MHz and PA9 and PA10 on a header, such as WeAct's. */
#include "platform/board.h"

CF_BUFFERS(1024, 8192);
CF_SAMPLES(1024);
CF_LIVE(12288);
CF_BAUDS(115200, 230400, 460800, 921600, 1000000, 2000000);

#define GPIOA_IDR 0x40020010u

const struct cf_board cf_board = {
    .crystal_hz = 8000000,
    .hold = {.level = {{GPIOA_IDR, 1u << 10, 0}}}, /* the line */
    CF_BOARD("olimex-h405"),
    CF_WATCHDOG,
    CF_STORE,
    CF_LINKED_MEMORY,
};
