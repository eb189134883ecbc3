/* What a board adds to its chip: one constant, in boards/<board>/board.c. */
#ifndef CF_BOARD_H
#define CF_BOARD_H

#include <stdint.h>

/* A piece of RAM. Where memory protection needs it, start and size are multiples of the unit that the architecture's
 * chapter of PORTING.md names. */
struct cf_span {
    uintptr_t start;
    uint32_t size;
};

/* Memory of the runner whose size is the board's choice. */
struct cf_buffers {
    uint8_t *rx_packet; /* two packets of max_packet bytes, 4-byte aligned */
    uint8_t *tx_packet;
    uint32_t max_packet;
    uint8_t *queue;      /* of received bytes: half of it is offered as window, the rest is room for repeats and garbage */
    uint32_t queue_size; /* power of two, at least 4 max_packet */
};

/* Zeroed buffers of these sizes. */
#define CF_BUFFERS(packet, queue_bytes)                                                                                \
    {                                                                                                                  \
        .rx_packet = (uint8_t *)(uint32_t[(packet) / 4u]){0}, .tx_packet = (uint8_t *)(uint32_t[(packet) / 4u]){0},    \
        .max_packet = (packet), .queue = (uint8_t[queue_bytes]){0}, .queue_size = (queue_bytes),                       \
    }

struct cf_board {
    const char *name;       /* folder under boards/ */
    uint32_t uart_clock_hz; /* clock of the protocol's UART */
    const uint32_t *bauds;  /* the first one is in use after reset */
    uint32_t baud_count;
    struct cf_buffers buffers;

    /* RAM beyond the image. */
    struct cf_span code;
    struct cf_span data;
    struct cf_span samples;
};

extern const struct cf_board cf_board;

#endif
