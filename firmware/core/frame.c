#include "frame.h"

#include "bytes.h"
#include "crc32c.h"
#include "hal/hal.h"

#define COBS_MAX 0xffu /* code of a block of 254 bytes without a 0 after it */

static void restart(struct cf_decoder *d) {
    d->length = 0;
    d->code = 0;
    d->remaining = 0;
    d->broken = 0;
}

static enum cf_feed finish(struct cf_decoder *d) {
    uint32_t length = d->length;
    int bad = d->broken || d->remaining != 0 || length < CF_HEADER_LENGTH + CF_TRAILER_LENGTH;

    restart(d);
    if (bad) {
        return CF_FEED_FRAMING;
    }
    if (cf_crc32c(d->packet, length) != CF_CRC32C_WITH_ITSELF) {
        return CF_FEED_CRC;
    }
    d->length = length - CF_TRAILER_LENGTH;
    return CF_FEED_PACKET;
}

enum cf_feed cf_decoder_feed(struct cf_decoder *d, const uint8_t **p, const uint8_t *end) {
    if (d->code == 0) {
        d->length = 0; /* the packet handed out last time has been used */
    }
    while (*p < end) {
        uint8_t byte = *(*p)++;
        if (byte == 0) {
            if (d->code == 0) {
                continue; /* a leading or repeated delimiter */
            }
            return finish(d);
        }
        if (d->remaining > 0) {
            d->remaining--;
        } else {
            const uint8_t before = d->code;
            d->code = byte;
            d->remaining = (uint8_t)(byte - 1u);
            if (before == 0 || before == COBS_MAX) {
                continue;
            }
            byte = 0; /* which the end of the block before stands for */
        }
        if (d->length < d->capacity) {
            d->packet[d->length++] = byte;
        } else {
            d->broken = 1;
        }
    }
    return CF_FEED_MORE;
}

void cf_frame_send(uint8_t *packet, uint32_t length) {
    static const uint8_t delimiter = 0;
    uint32_t at = 0;

    cf_store32(packet + length, cf_crc32c(packet, length));
    length += CF_TRAILER_LENGTH;
    for (;;) {
        uint32_t n = 0;
        while (n < COBS_MAX - 1u && at + n < length && packet[at + n] != 0) {
            n++;
        }
        const uint8_t code = (uint8_t)(n + 1);
        cf_hal_tx(&code, 1);
        cf_hal_tx(packet + at, n);
        at += n;
        if (at == length) {
            cf_hal_tx(&delimiter, 1);
            return;
        }
        if (n < COBS_MAX - 1u) {
            at++; /* the 0 that the block's end stands for */
        }
    }
}
