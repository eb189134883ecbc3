/* ESP32-C3 on its own USB connector: 96 KiB of SRAM for the runner, 96 for programs' code, 160 for their data. */
#include "platform/board.h"

CF_BUFFERS(4096, 16384);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {
    CF_BOARD("esp32-c3"),
    CF_WATCHDOG,
    CF_CODE_AT(0x40398000, 0x00018000),
    CF_DATA_AT(0x3fcb0000, 0x00028000),
    CF_LIVE_AT(0x3fcd8000, 0x00004000),
    CF_SAMPLES_AT(0x3fcdc000, 0x00004000),
};
