/* SiFive E in QEMU: 16 KiB of RAM, the runner in flash. */
#include "hal/board.h"

static const uint32_t bauds[] = {115200, 230400, 460800, 57600};

const struct cf_board cf_board = {
    .name = "sifive-e",
    .uart_clock_hz = 16000000,
    .bauds = bauds,
    .baud_count = sizeof bauds / sizeof bauds[0],
    .buffers = CF_BUFFERS(512, 2048),
    .samples = {0x80001e00, 0x00000200},
    .code = {0x80002000, 0x00001000},
    .data = {0x80003000, 0x00001000},
};
