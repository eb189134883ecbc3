/* QEMU "virt" with a 32-bit RISC-V core and its default 128 MiB of RAM. */
#include "hal/board.h"

/* What the clock of the 16550 makes. */
static const uint32_t bauds[] = {115200, 230400, 57600};

const struct cf_board cf_board = {
    .name = "riscv-virt32",
    .uart_clock_hz = 3686400,
    .bauds = bauds,
    .baud_count = sizeof bauds / sizeof bauds[0],
    .buffers = CF_BUFFERS(4096, 32768),
    .samples = {0x80200000, 0x00200000},
    .code = {0x81000000, 0x01000000},
    .data = {0x82000000, 0x04000000},
};
