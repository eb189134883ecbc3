/* QEMU "virt" with a 32-bit RISC-V core and its default 128 MiB of RAM. */
#include "platform/board.h"

CF_BUFFERS(4096, 32768);
/* What the clock of the 16550 makes. */
CF_BAUDS(115200, 230400, 57600);

const struct cf_board cf_board = {
    CF_BOARD("riscv-virt32"),
    CF_STORE,
    CF_SAMPLES_AT(0x80200000, 0x00200000),
    CF_LIVE_AT(0x80400000, 0x00400000),
    CF_CODE_AT(0x81000000, 0x01000000),
    CF_DATA_AT(0x82000000, 0x04000000),
};
