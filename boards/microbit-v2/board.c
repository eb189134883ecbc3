/* BBC micro:bit, version 2. */
#include "platform/board.h"

CF_BUFFERS(1024, 8192);
CF_SAMPLES(1024);
CF_LIVE(12288);
CF_BAUDS(115200, 230400, 460800, 921600, 57600, 38400, 19200, 9600);

#define P0_IN 0x50000510u
#define P1_IN 0x50000810u
#define P0_PIN_CNF(pin) (0x50000700u + 4u * (pin))
#define P1_PIN_CNF(pin) (0x50000a00u + 4u * (pin))
#define INPUT_PULLED_UP 0xcu
#define BUTTON_A 14u /* of port 0 */
#define RXD 8u       /* of port 1 */

/* Button A is low when it is pressed. */
const struct cf_board cf_board = {
    .crystal_hz = 32000000,
    .hold = {
        .steps = CF_STEPS(CF_WRITE(P0_PIN_CNF(BUTTON_A), INPUT_PULLED_UP), CF_WRITE(P1_PIN_CNF(RXD), INPUT_PULLED_UP)),
        .level = {{P0_IN, 1u << BUTTON_A, 0}, {P1_IN, 1u << RXD, 0}},
    },
    CF_BOARD("microbit-v2"),
    CF_WATCHDOG,
    CF_STORE,
    CF_LINKED_MEMORY,
};
