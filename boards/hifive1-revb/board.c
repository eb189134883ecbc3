/* HiFive1 Rev B: 16 KiB of RAM, the runner in flash. */
#include "platform/board.h"

CF_BUFFERS(256, 1024);
CF_LIVE(1024);
CF_BAUDS(115200, 230400, 460800, 57600);

const struct cf_board cf_board = {
    CF_BOARD("hifive1-revb"),
    CF_WATCHDOG,
    CF_SAMPLES_AT(0x80001e00, 0x00000200),
    CF_LIVE_AT(live, sizeof live),
    CF_CODE_AT(0x80002000, 0x00001000),
    CF_DATA_AT(0x80003000, 0x00001000),
};
