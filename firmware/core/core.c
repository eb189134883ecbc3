#include "core.h"

#include <stddef.h>

#include "request.h"

/* Types of fields, in four bits, of which the first says that there is one: that of CBOR, which is even, and whether 64 bits may be used. */
enum { U = 8, Q = 9, B = 8 | CF_CBOR_BYTES, A = 8 | CF_CBOR_ARRAY, TYPE_BITS = 4, CBOR_TYPE = 6, WIDE = 1 };
_Static_assert(CF_CBOR_WIDE == WIDE << 3 && CF_CBOR_UINT == 0, "one bit is between an integer of 32 and one of 64 bits");

/* A request. keys has the types of the keys 1, 2, ... that must be there, from the lowest bits on. */
struct row {
    uint32_t keys;
    cf_request *carry_out;
};

#define KEYS(k1, k2, k3, k4, k5, k6, k7, k8)                                                                       \
    ((k1) | (k2) << 4 | (k3) << 8 | (k4) << 12 | (k5) << 16 | (k6) << 20 | (k7) << 24 | (uint32_t)(k8) << 28)

#define FIELDS 11 /* keys 0 to 10 */

/* By message code. */
static const struct row rows[] = {
    [0] = {CBOR_TYPE, NULL}, /* no code: this type is that of tags, which no item has */
    [CF_MSG_HELLO] = {KEYS(U, U, 0, 0, 0, 0, 0, 0), cf_hello},
    [CF_MSG_BEGIN] = {KEYS(U, Q, U, U, U, U, A, B), cf_begin},
    [CF_MSG_CHUNK] = {KEYS(U, U, B, 0, 0, 0, 0, 0), cf_chunk},
    [CF_MSG_SEAL] = {0, cf_seal},
    [CF_MSG_RUN] = {KEYS(U, U, Q, U, Q, Q, 0, 0), cf_run},
    [CF_MSG_READ] = {KEYS(U, U, 0, 0, 0, 0, 0, 0), cf_read},
    [CF_MSG_WRITE] = {KEYS(U, B, 0, 0, 0, 0, 0, 0), cf_write},
    [8] = {CBOR_TYPE, NULL}, /* no code, either */
    [CF_MSG_STATUS] = {0, cf_status},
    [CF_MSG_DROP] = {0, cf_drop},
    [CF_MSG_BAUD] = {KEYS(U, 0, 0, 0, 0, 0, 0, 0), cf_baud},
    [CF_MSG_START] = {KEYS(Q, U, Q, A, U, Q, U, U), cf_start},
    [CF_MSG_STOP] = {0, cf_stop},
    [CF_MSG_LIVE] = {0, cf_live},
    /* From here on there must be a loop. */
    [CF_MSG_APPLY] = {KEYS(U, U, 0, 0, 0, 0, 0, 0), cf_apply},
    [CF_MSG_SUBSCRIBE] = {KEYS(U, U, U, U, U, 0, 0, 0), cf_subscribe},
#if CF_HAS_CAPTURE
    [CF_MSG_CAPTURE] = {KEYS(U, U, U, U, U, U, U, U), cf_capture},
#elif CF_HAS_SWAP
    [CF_MSG_CAPTURE] = {CBOR_TYPE, NULL}, /* as above */
#endif
#if CF_HAS_SWAP
    [CF_MSG_SWAP] = {KEYS(U, U, U, A, U, U, U, 0), cf_swap},
#endif
#if CF_HAS_STORE
#if !CF_HAS_SWAP
#if !CF_HAS_CAPTURE
    [CF_MSG_CAPTURE] = {CBOR_TYPE, NULL},
#endif
    [CF_MSG_SWAP] = {CBOR_TYPE, NULL},
#endif
    /* Whether there is a loop or not. */
    [CF_MSG_STORE] = {KEYS(U, U, B, 0, 0, 0, 0, 0), cf_store},
#endif
};

_Static_assert(CF_STATE_IDLE == 0, "what is not set is zero");

void cf_core_init(struct cf_core *c, const struct cf_platform *platform) {
    c->platform = platform;
    c->loop = platform->loop;
    c->decoder.packet = platform->rx_packet;
    c->decoder.capacity = platform->capacity[CF_CAPACITY_PACKET];
    cf_load_into(c, 0);
    if (cf_hal_boot_fault() != NULL) {
        c->failure.fault = *cf_hal_boot_fault();
    }
#if CF_HAS_STORE
    cf_store_start(c);
#endif
}

/* Completes a packet, of so many bytes without CRC, and sends it. */
static void send(const struct cf_core *c, uint8_t *packet, uint32_t length) {
    ((struct cf_header *)(void *)packet)->ack = c->link.next;
    cf_frame_send(packet, length);
}

/* Sends a packet that is no answer. */
static void send_own(const struct cf_core *c, uint8_t *packet, uint32_t length, uint8_t kind, uint16_t seq) {
    *(struct cf_header *)(void *)packet = (struct cf_header){kind, CF_PROTOCOL_VERSION, c->link.session, seq, 0};
    send(c, packet, length);
}

static void send_ack(struct cf_core *c) {
    struct {
        struct cf_header header;
        uint32_t received;
        uint32_t window;
        uint32_t crc;
    } packet;
    _Static_assert(offsetof(__typeof__(packet), crc) == CF_HEADER_LENGTH + CF_ACK_LENGTH, "as SPEC.md has it");

    packet.received = c->link.received;
    packet.window = c->platform->capacity[CF_CAPACITY_WINDOW];
    send_own(c, (uint8_t *)&packet, CF_HEADER_LENGTH + CF_ACK_LENGTH, CF_KIND_ACK, 0);
    c->chunks = 0;
}

/* Decodes a body. Returns its row, or NULL if it is malformed or of an unknown code; f[0] has the code, 0 if there is none that is known. */
static const struct row *parse(const uint8_t *body, uint32_t length, struct cf_field *f) {
    struct cf_reader r = {body, body + length};

    if (cf_cbor_map(&r, f, FIELDS) != 0 || f->type != CF_CBOR_UINT || f->at == NULL || f->value >= sizeof rows / sizeof rows[0]) {
        f->value = 0;
        return NULL;
    }
    const struct row *row = &rows[f->value];
    const struct cf_field *end = f + FIELDS;
    for (uint32_t keys = row->keys; ++f < end; keys >>= TYPE_BITS) { /* those that may be missing are numbers, 0 if they are */
        if ((f->at == NULL && keys != 0) || (f->type & ~((keys & WIDE) << 3)) != (keys & CBOR_TYPE)) {
            return NULL;
        }
    }
    return row;
}

_Static_assert(CF_KEY_BEGIN_RSP_DETAIL == 2 && CF_KEY_CHUNK_RSP_DETAIL == 2 && CF_KEY_SEAL_RSP_DETAIL == 2,
               "what an answer tells of a failure is the first pair behind the status");

/* Starts an answer in a packet whose header is there. */
static void answer_start(const struct cf_core *c, struct cf_answer *a, uint8_t *packet, uint32_t code) {
    cf_answer_start(a, packet, c->platform->capacity[CF_CAPACITY_PACKET], code);
}

/* Completes an answer and sends it. */
static void answer_send(const struct cf_core *c, struct cf_answer *a, int32_t status) {
    cf_answer_end(a, status);
    send(c, a->w.buffer, a->w.length);
}

/* Sends the answer to a request that is carried out in order, and keeps it for a repetition. */
static void reply(struct cf_core *c, struct cf_answer *a, int32_t status) {
    answer_send(c, a, status);
    c->reply_length = a->w.length;
}

/* Goes on with a RUN. Returns the tick before which there is nothing more to do for it. */
static cf_moment on_job(struct cf_core *c) {
    const cf_moment until = cf_run_continue(c);
    struct cf_answer a;

    if (c->state != CF_STATE_RUNNING) {
        answer_start(c, &a, c->platform->tx_packet, CF_MSG_RUN);
        reply(c, &a, cf_run_answer(c, &a));
    }
    return until;
}

/* Sends a packet of telemetry if there is one. Its buffer is that of samples, which nobody can ask for while the loop runs. */
static int send_telemetry(struct cf_core *c) {
    uint8_t *packet = (uint8_t *)c->platform->samples;
    const uint32_t length = c->stream.on ? cf_telemetry(c, packet) : 0;

    if (length != 0) {
        send_own(c, packet, length, CF_KIND_TEL, c->stream.seq++);
    }
    return length != 0;
}

/* Starts the answer to the request in the receive buffer, in that or in the other one. Its header is the same but for the kind, and
 * the version that is spoken here. A CHUNK's bytes, and what is left of other fields in f, lie behind what is written. */
static void answer_request(const struct cf_core *c, struct cf_answer *a, uint8_t *packet, uint32_t code) {
    struct cf_header *header = (struct cf_header *)(void *)packet;

    *header = *(const struct cf_header *)(const void *)c->platform->rx_packet;
    header->kind = CF_KIND_RSP;
    header->version = CF_PROTOCOL_VERSION;
    answer_start(c, a, packet, code);
}

/* Carries out a request that has been decoded. Where there are no records it is a part of on_packet. */
CF_STORE_CODE static int32_t carry_out(struct cf_core *c, const struct row *row, const struct cf_field *f, struct cf_answer *a) {
    cf_follow_loop(c, CF_LOOP_END_NONE);
    if (row == NULL) {
        return CF_ERR_BAD_MESSAGE;
    }
    return f->value >= CF_MSG_APPLY && f->value <= CF_MSG_SWAP && c->state != CF_STATE_TICKING ? CF_ERR_BAD_STATE : row->carry_out(c, f, a);
}

#if CF_HAS_STORE
/* Requests that have no meaning without a line: bit n is that of code n. */
#define NO_RECORDS (1u << CF_MSG_HELLO | 1u << CF_MSG_RUN | 1u << CF_MSG_BAUD | 1u << CF_MSG_SUBSCRIBE | 1u << CF_MSG_STORE)

CF_STORE_CODE int32_t cf_replay(struct cf_core *c, const uint8_t *record, uint32_t length, uint32_t flags) {
    struct cf_field f[FIELDS];
    struct cf_answer a;

    if (length >= 3 && (record[1] | record[2]) == 0) { /* the first key and its value: a note of a host */
        return CF_OK;
    }
    const struct row *row = parse(record, length, f);
    if (f->value == CF_MSG_START && (flags & CF_STORE_AUTOSTART) == 0) {
        return CF_LATER;
    }
    cf_answer_start(&a, c->platform->tx_packet, c->platform->capacity[CF_CAPACITY_PACKET], f->value);
    return carry_out(c, (NO_RECORDS >> f->value & 1u) != 0 ? NULL : row, f, &a);
}
#endif

/* HELLO stands outside of the session that it opens, so its answer leaves the stored one alone. Whatever version the header
 * has, the answer tells the one spoken here. */
static void on_hello(struct cf_core *c, uint8_t version, const struct row *row, const struct cf_field *f) {
    struct cf_answer a;
    int32_t status = CF_ERR_BAD_VERSION;

    if (version == CF_PROTOCOL_VERSION && f->value != CF_MSG_HELLO) {
        return;
    }
    answer_request(c, &a, c->platform->rx_packet, CF_MSG_HELLO);
    cf_key_uint(&a, CF_PROTOCOL_VERSION);
    if (version == CF_PROTOCOL_VERSION) {
        status = row == NULL ? CF_ERR_BAD_MESSAGE : cf_hello(c, f, &a);
    }
    answer_send(c, &a, status);
}

static void on_packet(struct cf_core *c) {
    uint8_t *packet = c->platform->rx_packet;
    const struct cf_header *header = (const struct cf_header *)(const void *)packet;
    const uint16_t seq = header->seq;
    struct cf_field f[FIELDS];
    struct cf_answer a;
    int32_t status;

    c->trying = 0; /* the rate works */
    c->heard = cf_hal_ticks();
    if (cf_has_loop(c)) {
        cf_loop_heard(c->loop, c->heard);
    }
    if (header->kind != CF_KIND_REQ) {
        return;
    }
    const struct row *row = parse(packet + CF_HEADER_LENGTH, c->decoder.length - CF_HEADER_LENGTH, f);
    if (header->session == 0 && seq == 0) {
        on_hello(c, header->version, row, f);
        return;
    }
    if (header->version != CF_PROTOCOL_VERSION || header->session == 0 || header->session != c->link.session) {
        return;
    }
    if (c->state == CF_STATE_RUNNING) {
        return; /* the host waits for the answer; what it repeats meanwhile it will repeat again */
    }
    if (row == &rows[CF_MSG_HELLO]) {
        row = NULL; /* not within a session */
    }
    const int chunk = row == &rows[CF_MSG_CHUNK];
    const enum cf_arrival arrival = cf_link_take(&c->link, seq, chunk);
    if (arrival == CF_ARRIVAL_OUTSIDE) {
        return;
    }
    if (arrival == CF_ARRIVAL_SEEN) {
        c->counter[CF_COUNT_DUPLICATES]++;
    }
    if (chunk) { /* the first error since BEGIN is told at once; the host learns of the rest from SEAL */
        if (arrival == CF_ARRIVAL_NEW) {
            answer_request(c, &a, packet, CF_MSG_CHUNK);
            status = cf_chunk(c, f, &a);
            if (status != CF_OK) {
                answer_send(c, &a, status);
            }
        }
        if (++c->chunks >= CF_ACK_INTERVAL) {
            send_ack(c);
        }
        return;
    }
    packet = c->platform->tx_packet;
    if (arrival == CF_ARRIVAL_SEEN) {
        const uint16_t kept = ((const struct cf_header *)(const void *)packet)->seq;
        if (c->reply_length != 0 && kept == seq && (uint16_t)(seq + 1u) == c->link.next) {
            cf_frame_send(packet, c->reply_length);
        }
        return;
    }
    answer_request(c, &a, packet, f->value);
    status = carry_out(c, row, f, &a);
    c->chunks = 0; /* the host has sent this because everything before it was acknowledged */
    if (status == CF_LATER) {
        return;
    }
    reply(c, &a, status);
    if (c->baud_next != 0) {
        cf_switch_baud(c);
    }
}

_Static_assert((int)CF_FEED_PACKET == CF_COUNT_FRAMES_OK && (int)CF_FEED_CRC == CF_COUNT_CRC_ERRORS
                   && (int)CF_FEED_FRAMING == CF_COUNT_FRAMING_ERRORS,
               "how a frame ends is what is counted");

void cf_core_feed(struct cf_core *c, const uint8_t *bytes, uint32_t n) {
    const uint8_t *end = bytes + n;

    while (bytes < end) {
        enum cf_feed feed = cf_decoder_feed(&c->decoder, &bytes, end);
        if (feed == CF_FEED_MORE) {
            return;
        }
        c->counter[feed]++;
        if (feed == CF_FEED_PACKET) {
            on_packet(c);
        }
    }
}

int cf_core_poll(struct cf_core *c) {
    uint8_t bytes[CF_RECEIVE_BATCH]; /* so few that no request ends in those that a RUN ends in: it would be dropped */
    const uint8_t before = c->state;
    uint8_t left = 0; /* of 256 times: more than a line brings in a slice of a RUN, which goes on whatever is received */
    uint32_t n;

    do {
        n = cf_hal_rx(bytes, sizeof bytes);
        cf_core_feed(c, bytes, n);
    } while (n == sizeof bytes && --left != 0 && before == CF_STATE_RUNNING && c->state == CF_STATE_RUNNING);
    cf_check_baud(c);
    cf_follow_loop(c, CF_LOOP_END_NONE);
    if (c->state == CF_STATE_RUNNING) {
        const cf_moment until = on_job(c);
        return CF_SMALL ? 0 : cf_hal_wait(until);
    }
    if (send_telemetry(c) || n > 0) {
        return 0;
    }
    if (c->chunks > 0) {
        send_ack(c);
    }
    if (CF_SMALL && c->trying) {
        return 0;
    }
    return cf_hal_wait(c->trying ? c->baud_deadline : CF_NEVER);
}
