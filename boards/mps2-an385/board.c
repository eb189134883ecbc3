/* Arm MPS2 with FPGA image AN385. */
#include "hal/mcu.h"

#define PACKET 2048u
#define RING 16384u
#define SAMPLES 4096u

static const uint32_t bauds[] = {115200, 230400, 460800, 921600};

CF_BUFFER static uint8_t ring[RING];
CF_BUFFER static uint8_t packets[2][PACKET];
CF_BUFFER static uint32_t samples[SAMPLES];

const struct cf_mcu_board cf_board = {
    .ring = ring,
    .ring_size = RING,
    .platform = {
        CF_MCU_PLATFORM,
        .board = "mps2-an385",
        .bauds = bauds,
        .baud_count = sizeof bauds / sizeof bauds[0],
        .window = CF_MCU_WINDOW(RING),
        .rx_packet = packets[0],
        .tx_packet = packets[1],
        .max_packet = PACKET,
        .samples = samples,
        .sample_capacity = SAMPLES,
    },
};
