/* QEMU "virt" with a Cortex-A53 and its default 128 MiB of RAM. */
#include "hal/board.h"

/* QEMU moves bytes as fast as it can at any rate; the list is that of a 24 MHz clock. */
static const uint32_t bauds[] = {115200, 230400, 460800, 921600, 1000000, 1500000};

const struct cf_board cf_board = {
    .name = "virt-a53",
    .uart_clock_hz = 24000000,
    .bauds = bauds,
    .baud_count = sizeof bauds / sizeof bauds[0],
    .buffers = CF_BUFFERS(4096, 32768),
    .samples = {0x40200000, 0x00200000},
    .code = {0x41000000, 0x01000000},
    .data = {0x42000000, 0x04000000},
};
