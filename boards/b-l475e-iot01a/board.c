/* B-L475E-IOT01A, the IoT node of ST. */
#include "platform/board.h"

CF_BUFFERS(512, 4096);
CF_SAMPLES(256);
CF_LIVE(4096);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {CF_BOARD("b-l475e-iot01a"), CF_WATCHDOG, CF_LINKED_MEMORY};
