/* Versatile Express with the CoreTile A9x4; QEMU has 128 MiB of RAM by default, the real one 1 GiB. */
#include "hal/board.h"

/* From 24 MHz. */
static const uint32_t bauds[] = {115200, 230400, 460800, 921600, 1000000, 1500000};

const struct cf_board cf_board = {
    .name = "vexpress-a9",
    .uart_clock_hz = 24000000,
    .bauds = bauds,
    .baud_count = sizeof bauds / sizeof bauds[0],
    .buffers = CF_BUFFERS(4096, 32768),
    .samples = {0x60200000, 0x00200000},
    .code = {0x61000000, 0x01000000},
    .data = {0x62000000, 0x04000000},
};
