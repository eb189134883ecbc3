/* What a board adds to its chip: one constant, in boards/<board>/board.c. */
#ifndef CF_BOARD_H
#define CF_BOARD_H

#include <stdint.h>

/* A piece of RAM; start and size in multiples of 2 MiB. */
struct cf_span {
    uintptr_t start;
    uint32_t size;
};

struct cf_board {
    const char *name;       /* folder under boards/ */
    uint32_t uart_clock_hz; /* clock of the protocol's UART */
    const uint32_t *bauds;  /* the first one is in use after reset */
    uint32_t baud_count;

    /* RAM beyond the image, whose own 2 MiB it must not touch. */
    struct cf_span code;
    struct cf_span data;
    struct cf_span samples;
};

extern const struct cf_board cf_board;

#endif
