/* Versatile Express with the CoreTile A9x4; QEMU has 128 MiB of RAM by default, the real one 1 GiB. */
#include "platform/board.h"

CF_BUFFERS(4096, 32768);
/* From 24 MHz. */
CF_BAUDS(115200, 230400, 460800, 921600, 1000000, 1500000);

const struct cf_board cf_board = {
    CF_BOARD("vexpress-a9"),
    CF_SAMPLES_AT(0x60200000, 0x00200000),
    CF_LIVE_AT(0x60400000, 0x00400000),
    CF_CODE_AT(0x61000000, 0x01000000),
    CF_DATA_AT(0x62000000, 0x04000000),
};
