/*
 * Byte queue between one interrupt handler (puts) and one main loop (takes) on the same core. The indices run freely
 * and are reduced on access, so that full and empty differ without a spare byte.
 */
#ifndef CF_RING_H
#define CF_RING_H

#include <stdbool.h>
#include <stdint.h>

struct cf_ring {
    volatile uint8_t *bytes;
    uint32_t size;          /* power of two */
    volatile uint32_t head; /* written by the putting side only */
    volatile uint32_t tail; /* written by the taking side only */
};

static inline bool cf_ring_empty(const struct cf_ring *ring) {
    return ring->head == ring->tail;
}

/* Returns false, and drops the byte, if the queue is full. */
static inline bool cf_ring_put(struct cf_ring *ring, uint8_t byte) {
    const uint32_t head = ring->head;
    if (head - ring->tail == ring->size) {
        return false;
    }
    ring->bytes[head & (ring->size - 1u)] = byte;
    ring->head = head + 1u;
    return true;
}

/* Takes up to cap bytes and returns how many. */
static inline uint32_t cf_ring_take(struct cf_ring *ring, uint8_t *dst, uint32_t cap) {
    const uint32_t head = ring->head;
    uint32_t tail = ring->tail;
    uint32_t count = 0;
    while (tail != head && count < cap) {
        dst[count++] = ring->bytes[tail++ & (ring->size - 1u)];
    }
    ring->tail = tail;
    return count;
}

#endif
