/* Raspberry Pi 3 Model B and B+, with 1 GiB of RAM, A+ and Zero 2 W, with 512 MiB, of which the graphics core keeps the upper end (76 MiB by
 * default). */
#include "platform/board.h"

CF_BUFFERS(4096, 32768);
CF_BAUDS(115200, 230400, 460800, 921600, 1000000, 1500000, 2000000, 3000000);

const struct cf_board cf_board = {
    CF_BOARD("rpi3"),
    CF_WATCHDOG,
    CF_SAMPLES_AT(0x00200000, 0x00200000),
    CF_LIVE_AT(0x00400000, 0x00400000),
    CF_CODE_AT(0x01000000, 0x01000000),
    CF_DATA_AT(0x02000000, 0x10000000),
};
