/* Netduino Plus 2. */
#include "hal/mcu.h"

#define PACKET 1024u
#define RING 8192u
#define SAMPLES 1024u

static const uint32_t bauds[] = {115200, 230400, 460800, 921600, 1000000, 2000000};

CF_BUFFER static uint8_t ring[RING];
CF_BUFFER static uint8_t packets[2][PACKET];
CF_BUFFER static uint32_t samples[SAMPLES];

const struct cf_mcu_board cf_board = {
    .crystal_hz = 25000000,
    .ring = ring,
    .ring_size = RING,
    .platform = {
        CF_MCU_PLATFORM,
        .board = "netduinoplus2",
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
