/* STM32 Nucleo-F401RE: the ST-Link gives its 8 MHz to the oscillator pin. */
#include "platform/board.h"

CF_BUFFERS(512, 4096);
CF_SAMPLES(256);
CF_LIVE(4096);
CF_BAUDS(115200, 230400, 460800, 921600);

#define RCC_AHB1ENR 0x40023830u
#define PORTS_A_AND_C 5u
#define GPIOA_IDR 0x40020010u
#define GPIOC_IDR 0x40020810u

/* The blue button, low when it is pressed, and the line. */
const struct cf_board cf_board = {
    .crystal_hz = 8000000,
    .hold = {
        .steps = CF_STEPS(CF_WRITE(RCC_AHB1ENR, PORTS_A_AND_C)),
        .level = {{GPIOC_IDR, 1u << 13, 0}, {GPIOA_IDR, 1u << 3, 0}},
    },
    CF_BOARD("nucleo-f401re"),
    CF_WATCHDOG,
    CF_STORE,
    CF_LINKED_MEMORY,
};
