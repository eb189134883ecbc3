/* QEMU "virt" with a Cortex-A15 and its default 128 MiB of RAM. */
#include "platform/board.h"

CF_BUFFERS(4096, 32768);
/* QEMU moves bytes as fast as it can at any rate; the list is that of a 24 MHz clock. */
CF_BAUDS(115200, 230400, 460800, 921600, 1000000, 1500000);

const struct cf_board cf_board = {
    CF_BOARD("virt-a15"),
    CF_STORE,
    CF_SAMPLES_AT(0x40200000, 0x00200000),
    CF_LIVE_AT(0x40400000, 0x00400000),
    CF_CODE_AT(0x41000000, 0x01000000),
    CF_DATA_AT(0x42000000, 0x04000000),
};
