#include "ask.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "wire.h"

uint16_t next_seq;

static uint32_t body_of(uint8_t *out, uint32_t capacity, const char *keys, va_list args) {
    struct cf_writer w = {out, capacity, 0, 0};

    cf_put_head(&w, CF_CBOR_MAP, strlen(keys));
    for (uint32_t key = 0; keys[key] != 0; key++) {
        cf_put_head(&w, CF_CBOR_UINT, key);
        if (keys[key] == 'u') {
            cf_put_head(&w, CF_CBOR_UINT, va_arg(args, uint64_t));
        } else if (keys[key] == 'b') {
            const void *bytes = va_arg(args, const void *);
            cf_put_string(&w, CF_CBOR_BYTES, bytes, va_arg(args, uint32_t));
        } else {
            const uint32_t *items = va_arg(args, const uint32_t *);
            uint32_t n = va_arg(args, uint32_t);
            cf_put_head(&w, CF_CBOR_ARRAY, n);
            for (uint32_t i = 0; i < n; i++) {
                cf_put_head(&w, CF_CBOR_UINT, items[i]);
            }
        }
    }
    CHECK(!w.full);
    return w.length;
}

uint32_t body(uint8_t *out, uint32_t capacity, const char *keys, ...) {
    va_list args;

    va_start(args, keys);
    uint32_t n = body_of(out, capacity, keys, args);
    va_end(args);
    return n;
}

const struct answer *answered(void) {
    static struct answer a;
    uint32_t at = 0;

    memset(&a, 0, offsetof(struct answer, packet));
    uint32_t n = sent(&at, a.packet);
    memmove(bench.tx, bench.tx + at, bench.tx_length - at);
    bench.tx_length -= at;
    if (n == 0) {
        return &a;
    }
    const uint8_t *start = a.packet + CF_HEADER_LENGTH;
    a.present = 1;
    a.length = n;
    a.kind = a.packet[0];
    CHECK_EQUAL(a.packet[1], CF_PROTOCOL_VERSION);
    a.session = load16(a.packet + 2);
    a.seq = load16(a.packet + 4);
    a.ack = load16(a.packet + 6);
    if (a.kind == CF_KIND_ACK) {
        CHECK_EQUAL(n, CF_HEADER_LENGTH + CF_ACK_LENGTH);
        a.received = load32(start);
        a.window = load32(start + 4);
        return &a;
    }
    if (a.kind == CF_KIND_TEL) {
        return &a;
    }
    CHECK_EQUAL(a.kind, CF_KIND_RSP);
    struct cf_reader r = {start, a.packet + n};
    CHECK_EQUAL(cf_cbor_map(&r, a.field, ANSWER_FIELDS), 0);
    CHECK_EQUAL(a.field[0].type, CF_CBOR_UINT);
    CHECK(a.field[1].type == CF_CBOR_UINT || a.field[1].type == CF_CBOR_NINT);
    a.status = a.field[1].type == CF_CBOR_UINT ? (int32_t)a.field[1].value : 1 + (int32_t)a.field[1].value;
    return &a;
}

const struct answer *ask_as(uint16_t session, uint16_t seq, const uint8_t *bytes, uint32_t length) {
    static uint8_t wire[2 * CF_MAX_PACKET_LENGTH];

    cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, CF_PROTOCOL_VERSION, session, seq, bytes, length));
    while (bench.core.state == CF_STATE_RUNNING) {
        CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    }
    return answered();
}

const struct answer *hello(uint32_t nonce) {
    uint8_t bytes[32];
    const struct answer *a = ask_as(0, 0, bytes, body(bytes, sizeof bytes, "uuu", (uint64_t)CF_MSG_HELLO, (uint64_t)CF_PROTOCOL_VERSION, (uint64_t)nonce));

    next_seq = 1;
    return a;
}

const struct answer *ask(const char *keys, ...) {
    uint8_t bytes[CF_MAX_PACKET_LENGTH];
    va_list args;

    va_start(args, keys);
    uint32_t n = body_of(bytes, sizeof bytes, keys, args);
    va_end(args);
    return ask_as(bench.core.link.session, next_seq++, bytes, n);
}

/* The bytes at a key, which are this many. */
static const uint8_t *bytes_of(const struct answer *a, uint32_t key, uint32_t length) {
    CHECK_EQUAL(a->field[key].type, CF_CBOR_BYTES);
    CHECK_EQUAL(a->field[key].value, length);
    return a->field[key].at;
}

uint32_t now_of(const struct answer *a, uint32_t place) {
    return load32(bytes_of(a, CF_KEY_HELLO_RSP_NOW, CF_NOW_LENGTH) + 4 * place);
}

const struct cf_runs *runs_of(const struct answer *a) {
    static struct cf_runs r;

    memcpy(&r, bytes_of(a, CF_KEY_RUN_RSP_RUNS, CF_RUNS_LENGTH), CF_RUNS_LENGTH);
    return &r;
}

const struct fault *fault_of(const struct answer *a, uint32_t key) {
    static struct fault f;

    memset(&f, 0, sizeof f);
    if (a->field[key].at != NULL) {
        memcpy(&f, bytes_of(a, key, sizeof f), sizeof f);
    }
    return &f;
}
