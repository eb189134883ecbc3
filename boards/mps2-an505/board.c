/* Arm MPS2 with FPGA image AN505. */
#include "hal/mcu.h"

CF_MCU_BUFFERS(2048, 16384, 4096);
CF_MCU_BAUDS(115200, 230400, 460800, 921600);

const struct cf_mcu_board cf_board = {CF_MCU_BOARD("mps2-an505")};
