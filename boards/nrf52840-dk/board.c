/* nRF52840 development kit. */
#include "platform/board.h"

CF_BUFFERS(1024, 8192);
CF_SAMPLES(1024);
CF_LIVE(32768);
CF_BAUDS(115200, 230400, 460800, 921600);

#define P0_IN 0x50000510u
#define P0_PIN_CNF(pin) (0x50000700u + 4u * (pin))
#define INPUT_PULLED_UP 0xcu
#define BUTTON_1 11u
#define RXD 8u

/* Button 1 is low when it is pressed. */
const struct cf_board cf_board = {
    .crystal_hz = 32000000,
    .hold = {
        .steps = CF_STEPS(CF_WRITE(P0_PIN_CNF(BUTTON_1), INPUT_PULLED_UP), CF_WRITE(P0_PIN_CNF(RXD), INPUT_PULLED_UP)),
        .level = {{P0_IN, 1u << BUTTON_1, 0}, {P0_IN, 1u << RXD, 0}},
    },
    CF_BOARD("nrf52840-dk"),
    CF_WATCHDOG,
    CF_STORE,
    CF_LINKED_MEMORY,
};
