#include "core.h"

#include "bytes.h"
#include "mem.h"
#include "request.h"

/* Types of fields: unsigned of 32 bits, of 64 bits, byte string, array. */
enum { U = 1, Q = 2, B = 3, A = 4, TYPE_BITS = 3 };

/* Requests. keys has the types of the keys 1, 2, ... that must be there, from the lowest bits on. */
struct row {
    unsigned code : 8;
    unsigned keys : 8 * TYPE_BITS;
    cf_request *carry_out;
};

#define KEYS(k1, k2, k3, k4, k5, k6, k7, k8)                                                                       \
    ((k1) | (k2) << 3 | (k3) << 6 | (k4) << 9 | (k5) << 12 | (k6) << 15 | (k7) << 18 | (k8) << 21)

#define FIELDS 9 /* keys 0 to 8 */

static const struct row rows[] = {
    {CF_MSG_HELLO, KEYS(U, U, 0, 0, 0, 0, 0, 0), cf_hello},
    {CF_MSG_BEGIN, KEYS(U, Q, U, U, U, U, A, B), cf_begin},
    {CF_MSG_CHUNK, KEYS(U, U, B, 0, 0, 0, 0, 0), cf_chunk},
    {CF_MSG_SEAL, 0, cf_seal},
    {CF_MSG_RUN, KEYS(U, U, U, U, 0, 0, 0, 0), cf_run},
    {CF_MSG_READ, KEYS(U, U, 0, 0, 0, 0, 0, 0), cf_read},
    {CF_MSG_WRITE, KEYS(U, B, 0, 0, 0, 0, 0, 0), cf_write},
    {CF_MSG_SAMPLES, KEYS(U, U, 0, 0, 0, 0, 0, 0), cf_samples},
    {CF_MSG_STATUS, 0, cf_status},
    {CF_MSG_DROP, 0, cf_drop},
    {CF_MSG_BAUD, KEYS(U, 0, 0, 0, 0, 0, 0, 0), cf_baud},
};

/* The status of an answer is written last, in the one byte that was left for it. */
_Static_assert(CF_ERR_UNSUPPORTED >= -24, "a status takes one byte");
#define STATUS_BYTE(status) ((uint8_t)((status) >= 0 ? (status) : 0x20 - 1 - (status)))

void cf_key(struct cf_answer *a, uint32_t key) {
    cf_put_head(&a->w, CF_CBOR_UINT, key);
    a->pairs++;
}

void cf_key_wide(struct cf_answer *a, uint32_t key, uint64_t value) {
    cf_key(a, key);
    cf_put_head(&a->w, CF_CBOR_UINT, value);
}

void cf_key_uint(struct cf_answer *a, uint32_t key, uint32_t value) {
    cf_key_wide(a, key, value);
}

int32_t cf_detail(struct cf_answer *a, int32_t status, uint32_t detail) {
    cf_key_uint(a, CF_KEY_BEGIN_RSP_DETAIL, detail);
    return status;
}

int32_t cf_key_bytes(struct cf_answer *a, uint32_t key, const void *bytes, uint32_t length) {
    cf_key(a, key);
    cf_put_string(&a->w, CF_CBOR_BYTES, bytes, length);
    return CF_OK;
}

uint32_t cf_data_length(const struct cf_core *c) {
    return c->image.length[CF_REGION_DATA] + c->image.bss_length;
}

void cf_core_init(struct cf_core *c, const struct cf_platform *platform) {
    memset(c, 0, sizeof *c);
    c->platform = platform;
    cf_decoder_init(&c->decoder, platform->rx_packet, platform->max_packet);
    c->boot_nonce = cf_hal_nonce();
    c->link.session = (uint16_t)c->boot_nonce; /* ids of before a restart are not met again at once */
    c->state = CF_STATE_IDLE;
    c->baud = platform->baud_count > 0 ? platform->bauds[0] : 0;
    c->baud_deadline = UINT64_MAX;
    if (platform->boot_fault != NULL) {
        c->fault.fault = *platform->boot_fault;
        c->fault.present = 1;
    }
}

/* Completes a packet, of so many bytes without CRC, and sends it. */
static void send(const struct cf_core *c, uint8_t *packet, uint32_t length, uint8_t kind, uint16_t session, uint16_t seq) {
    packet[0] = kind;
    packet[1] = CF_PROTOCOL_VERSION;
    cf_store16(packet + 2, session);
    cf_store16(packet + 4, seq);
    cf_store16(packet + 6, c->link.next);
    cf_frame_send(packet, length);
}

static void send_ack(struct cf_core *c) {
    uint8_t packet[CF_HEADER_LENGTH + CF_ACK_LENGTH + CF_TRAILER_LENGTH];

    cf_store32(packet + CF_HEADER_LENGTH, c->link.received);
    cf_store32(packet + CF_HEADER_LENGTH + 4, c->platform->window);
    send(c, packet, CF_HEADER_LENGTH + CF_ACK_LENGTH, CF_KIND_ACK, c->link.session, 0);
    c->ack_due = 0;
    c->chunks = 0;
}

static int typed(const struct cf_field *f, unsigned type) {
    static const uint8_t cbor[] = {[U] = CF_CBOR_UINT, [Q] = CF_CBOR_UINT, [B] = CF_CBOR_BYTES, [A] = CF_CBOR_ARRAY};

    return f->type == cbor[type] && (type != U || f->value <= UINT32_MAX);
}

/* Decodes a body. Returns its row, or NULL if it is malformed or of an unknown code; code is 0 if there is none. */
static const struct row *parse(const uint8_t *body, uint32_t length, struct cf_field *f, uint64_t *code) {
    struct cf_reader r = {body, body + length};

    *code = 0;
    if (cf_cbor_map(&r, f, FIELDS) != 0 || f[0].type != CF_CBOR_UINT) {
        return NULL;
    }
    *code = f[0].value;
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        if (row->code != *code) {
            continue;
        }
        const struct cf_field *field = f;
        for (uint32_t keys = row->keys; keys != 0; keys >>= TYPE_BITS) {
            if (!typed(++field, keys & 7u)) {
                return NULL;
            }
        }
        return row;
    }
    return NULL;
}

/* Starts an answer in packet, which holds capacity bytes with header and CRC. */
static void answer_start(struct cf_answer *a, uint8_t *packet, uint32_t capacity, uint64_t code) {
    a->w.buffer = packet + CF_HEADER_LENGTH;
    a->w.capacity = capacity - CF_HEADER_LENGTH - CF_TRAILER_LENGTH;
    a->w.length = 0;
    a->w.full = 0;
    a->pairs = 0;
    cf_put_head(&a->w, CF_CBOR_MAP, 0); /* the number of pairs is set at the end */
    cf_key_wide(a, 0, code);
    cf_key_uint(a, 1, 0); /* so is the status */
    a->fixed = a->w.length;
}

/* Completes an answer. Returns the length of the packet without CRC. */
static uint32_t answer_end(struct cf_answer *a, int32_t status) {
    if (a->w.full) {
        status = CF_ERR_BAD_LENGTH;
        a->w.length = a->fixed;
        a->pairs = 2;
    }
    a->w.buffer[0] = (uint8_t)(CF_CBOR_MAP << 5 | a->pairs);
    a->w.buffer[a->fixed - 1] = STATUS_BYTE(status);
    return CF_HEADER_LENGTH + a->w.length;
}

/*
 * HELLO stands outside of the session that it opens, so its answer is built in the receive buffer, which it has no more use for,
 * and leaves the stored answer alone. Whatever version the header has, the answer tells the one spoken here.
 */
static void on_hello(struct cf_core *c, const uint8_t *packet, const struct row *row, uint64_t code, const struct cf_field *f) {
    struct cf_answer a;
    int32_t status = CF_ERR_BAD_MESSAGE;
    uint8_t *out = c->platform->rx_packet;

    if (packet[1] != CF_PROTOCOL_VERSION) {
        code = CF_MSG_HELLO;
        status = CF_ERR_BAD_VERSION;
        row = NULL;
    } else if (code != CF_MSG_HELLO) {
        return;
    }
    answer_start(&a, out, c->platform->max_packet, code);
    if (row != NULL) {
        status = row->carry_out(c, f, &a);
    }
    if (status == CF_ERR_BAD_VERSION) {
        cf_key_uint(&a, CF_KEY_HELLO_RSP_VERSION, CF_PROTOCOL_VERSION);
    }
    uint32_t length = answer_end(&a, status);
    send(c, out, length, CF_KIND_RSP, 0, 0);
}

/* The first error of a CHUNK since BEGIN is told at once; the host learns of the rest from SEAL. */
static void on_chunk(struct cf_core *c, const struct row *row, const struct cf_field *f, uint16_t seq) {
    uint8_t packet[32]; /* code, status and detail */
    struct cf_answer a;

    answer_start(&a, packet, sizeof packet, CF_MSG_CHUNK);
    int32_t status = row->carry_out(c, f, &a);
    if (status != CF_OK) {
        uint32_t length = answer_end(&a, status);
        send(c, packet, length, CF_KIND_RSP, c->link.session, seq);
    }
}

/* Sends the answer to a request that is carried out in order, and keeps it for a repetition. */
static void reply(struct cf_core *c, struct cf_answer *a, int32_t status) {
    uint8_t *packet = c->platform->tx_packet;

    c->reply_length = answer_end(a, status);
    send(c, packet, c->reply_length, CF_KIND_RSP, c->link.session, c->reply_seq);
}

/* A request that waits for its turn in the sequence; row is NULL if it is malformed. */
static void on_ordered(struct cf_core *c, const struct row *row, uint64_t code, const struct cf_field *f, uint16_t seq) {
    struct cf_answer a;
    int32_t status = CF_ERR_BAD_MESSAGE;

    answer_start(&a, c->platform->tx_packet, c->platform->max_packet, code);
    if (row != NULL) {
        status = row->carry_out(c, f, &a);
    }
    c->ack_due = 0; /* the host has sent this because everything before it was acknowledged */
    c->chunks = 0;
    c->reply_length = 0;
    c->reply_seq = seq;
    if (status == CF_LATER) {
        return;
    }
    reply(c, &a, status);
    if (c->baud_next != 0) {
        cf_switch_baud(c);
    }
}

/* Goes on with a RUN. Returns the tick before which there is nothing more to do for it. */
static uint64_t on_job(struct cf_core *c) {
    uint64_t until = cf_run_continue(c);
    struct cf_answer a;

    if (c->state != CF_STATE_RUNNING) {
        answer_start(&a, c->platform->tx_packet, c->platform->max_packet, CF_MSG_RUN);
        int32_t status = cf_run_answer(c, &a);
        reply(c, &a, status);
    }
    return until;
}

static void on_packet(struct cf_core *c) {
    const uint8_t *packet = c->decoder.packet;
    uint32_t length = c->decoder.length;
    uint16_t session = cf_load16(packet + 2);
    uint16_t seq = cf_load16(packet + 4);
    struct cf_field f[FIELDS];
    uint64_t code;

    c->counter[CF_COUNT_FRAMES_OK]++;
    c->baud_deadline = UINT64_MAX; /* the rate works */
    if (packet[0] != CF_KIND_REQ) {
        return;
    }
    const struct row *row = parse(packet + CF_HEADER_LENGTH, length - CF_HEADER_LENGTH, f, &code);
    if (session == 0 && seq == 0) {
        on_hello(c, packet, row, code, f);
        return;
    }
    if (packet[1] != CF_PROTOCOL_VERSION || session == 0 || !c->open || session != c->link.session) {
        return;
    }
    if (c->state == CF_STATE_RUNNING) {
        return; /* the host waits for the answer; what it repeats meanwhile it will repeat again */
    }
    if (code == CF_MSG_HELLO) {
        row = NULL; /* not within a session */
    }
    int chunk = row != NULL && code == CF_MSG_CHUNK;
    enum cf_arrival arrival = cf_link_classify(&c->link, seq);
    if (arrival == CF_ARRIVAL_SEEN) {
        c->counter[CF_COUNT_DUPLICATES]++;
        if (chunk) {
            c->ack_due = 1;
        } else if (c->reply_length != 0 && c->reply_seq == seq && (uint16_t)(seq + 1u) == c->link.next) {
            cf_frame_send(c->platform->tx_packet, c->reply_length);
        }
        return;
    }
    if (arrival == CF_ARRIVAL_OUTSIDE || (arrival == CF_ARRIVAL_AHEAD && !chunk)) {
        return;
    }
    cf_link_take(&c->link, seq);
    if (!chunk) {
        on_ordered(c, row, code, f, seq);
        return;
    }
    on_chunk(c, row, f, seq);
    c->ack_due = 1;
    if (++c->chunks >= CF_ACK_INTERVAL) {
        send_ack(c);
    }
}

void cf_core_feed(struct cf_core *c, const uint8_t *bytes, uint32_t n) {
    const uint8_t *end = bytes + n;

    while (bytes < end) {
        switch (cf_decoder_feed(&c->decoder, &bytes, end)) {
        case CF_FEED_PACKET:
            on_packet(c);
            break;
        case CF_FEED_CRC:
            c->counter[CF_COUNT_CRC_ERRORS]++;
            break;
        case CF_FEED_FRAMING:
            c->counter[CF_COUNT_FRAMING_ERRORS]++;
            break;
        case CF_FEED_MORE:
            break;
        }
    }
}

int cf_core_poll(struct cf_core *c) {
    uint8_t bytes[64];
    uint32_t n = cf_hal_rx(bytes, sizeof bytes);

    cf_check_baud(c);
    cf_core_feed(c, bytes, n);
    if (c->state == CF_STATE_RUNNING) {
        return cf_hal_wait(on_job(c)); /* its turn comes however much is received */
    }
    if (n > 0) {
        return 0;
    }
    if (c->ack_due) {
        send_ack(c);
    }
    return cf_hal_wait(c->baud_deadline);
}
