/*
 * Frames on the wire: COBS-encoded packets, each followed by 0x00. A packet is header, body and CRC-32C.
 *
 * The decoder takes bytes as they arrive, in pieces of any size, and decodes into one packet buffer. It never writes beyond
 * that buffer, and after any garbage it is in step again at the next 0x00.
 */
#ifndef CF_FRAME_H
#define CF_FRAME_H

#include <stdint.h>

#include "codes_gen.h"

/* The start of a packet, as it lies in memory. Buffers of packets are aligned to 4 bytes. */
struct __attribute__((may_alias)) cf_header {
    uint8_t kind;     /* CF_KIND_* */
    uint8_t version;
    uint16_t session;
    uint16_t seq;
    uint16_t ack;
};
_Static_assert(sizeof(struct cf_header) == CF_HEADER_LENGTH && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "as SPEC.md has it");

/* All but the first two is zero at the start. */
struct cf_decoder {
    uint8_t *packet;     /* caller's buffer */
    uint32_t capacity;
    uint32_t length;     /* decoded bytes in packet */
    uint8_t code;        /* code byte of the current block, 0: no frame has begun */
    uint8_t remaining;   /* bytes of the current block still to come */
    uint8_t broken;      /* the frame is longer than the buffer: skip to the next 0x00 */
};

enum cf_feed {
    CF_FEED_PACKET,  /* packet[0, length) holds a packet with valid CRC; length excludes the CRC */
    CF_FEED_CRC,     /* a frame ended, its CRC is wrong */
    CF_FEED_FRAMING, /* a frame ended, it is no COBS, or too short or too long for a packet */
    CF_FEED_MORE,    /* all bytes taken, no packet yet */
};

/* Takes bytes from *p up to end, at most to the end of one frame, and advances *p behind those. */
enum cf_feed cf_decoder_feed(struct cf_decoder *d, const uint8_t **p, const uint8_t *end);

/* Appends the CRC to packet[0, length), which must have room for 4 more bytes, and sends it as a frame. */
void cf_frame_send(uint8_t *packet, uint32_t length);

#endif
