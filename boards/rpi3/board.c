/* Raspberry Pi 3 Model B and B+: 1 GiB of RAM, of which the graphics core keeps the upper end (76 MiB by default). */
#include "hal/board.h"

/* Exact within 0.2 % from 48 MHz, which config.txt sets (init_uart_clock). */
static const uint32_t bauds[] = {115200, 230400, 460800, 921600, 1000000, 1500000, 2000000, 3000000};

const struct cf_board cf_board = {
    .name = "rpi3",
    .uart_clock_hz = 48000000,
    .bauds = bauds,
    .baud_count = sizeof bauds / sizeof bauds[0],
    .buffers = CF_BUFFERS(4096, 32768),
    .samples = {0x00200000, 0x00200000},
    .code = {0x01000000, 0x01000000},
    .data = {0x02000000, 0x10000000},
};
