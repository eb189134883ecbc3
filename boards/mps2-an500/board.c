/* Arm MPS2 with FPGA image AN500. */
#include "platform/board.h"

CF_BUFFERS(2048, 16384);
CF_SAMPLES(4096);
CF_LIVE(32768);
CF_BAUDS(115200, 230400, 460800, 921600);

const struct cf_board cf_board = {CF_BOARD("mps2-an500"), CF_WATCHDOG, CF_LINKED_MEMORY};
