/* BBC micro:bit, version 1. */
#include "platform/board.h"

CF_BUFFERS(256, 1024);
CF_SAMPLES(64);
CF_LIVE(1024);
CF_BAUDS(115200, 57600, 38400, 19200, 9600);

#define GPIO_IN 0x50000510u
#define PIN_CNF(pin) (0x50000700u + 4u * (pin))
#define INPUT_PULLED_UP 0xcu
#define BUTTON_A 17u
#define RXD 25u

/* Button A is low when it is pressed. */
const struct cf_board cf_board = {
    .hold = {
        .steps = CF_STEPS(CF_WRITE(PIN_CNF(BUTTON_A), INPUT_PULLED_UP), CF_WRITE(PIN_CNF(RXD), INPUT_PULLED_UP)),
        .level = {{GPIO_IN, 1u << BUTTON_A, 0}, {GPIO_IN, 1u << RXD, 0}},
    },
    CF_BOARD("microbit"),
    CF_WATCHDOG,
    CF_STORE,
    CF_LINKED_MEMORY,
};
