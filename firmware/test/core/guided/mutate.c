/* Mutations of dialogues: of their order, of headers, of items of CBOR, of bytes. */
#include <string.h>

#include "ask.h"
#include "core/digest.h"
#include "dialogue.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity); /* libFuzzer's own, of plain bytes */

static uint64_t rng;

/* xorshift64* */
static uint32_t below(uint32_t n) {
    rng ^= rng >> 12;
    rng ^= rng << 25;
    rng ^= rng >> 27;
    return (uint32_t)((rng * 0x2545f4914f6cdd1du >> 32) * n >> 32);
}

/* Makes room for n records at `at`. Returns how many there is room for. */
static uint32_t open_gap(struct dialogue *d, uint32_t at, uint32_t n) {
    n = n < MAX_RECORDS - d->count ? n : MAX_RECORDS - d->count;
    memmove(&d->record[at + n], &d->record[at], (d->count - at) * sizeof d->record[0]);
    d->count += n;
    return n;
}

static void take_out(struct dialogue *d, uint32_t at) {
    d->count--;
    memmove(&d->record[at], &d->record[at + 1], (d->count - at) * sizeof d->record[0]);
}

/* A number that is at an edge of something. */
static uint64_t edge(void) {
    static const uint64_t edges[] = {
        0, 1, 2, 3, 4, 8, 15, 16, 17, 23, 24, 31, 32, 33, 40, 63, 64, 65, 255, 256, 511, 512, 513, 1000, 1023, 1024, 1025, 65535, 65536,
        115200, 921600, 10000000, 10000001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff, UINT64_MAX,
    };
    return edges[below(sizeof edges / sizeof edges[0])];
}

#define U(v) ((uint64_t)(v))
#define BODY(...) (uint16_t)body(r->body, MAX_BODY, __VA_ARGS__)

/* A right request of some kind, as far as one can know. */
/* About a loop; its lists lie at 8, its records from 256 on. */
static void loop_request(struct record *r) {
    static const uint32_t tasks[] = {0, 1, 1, 2};
    static const uint32_t list[] = {2, 4, 4, 16, 8, 7, 7, 7};

    switch (below(8)) {
    case 0:
    case 1:
        r->length = BODY("uuuuauuuu", U(CF_MSG_START), U(500), U(1), U(0), tasks, 2u + 2u * below(2), U(below(3)), U(below(2) * 20000u), U(below(2) * 8u),
                         U(below(2) * 1024u));
        break;
    case 2:
        r->length = BODY("uubu", U(CF_MSG_WRITE), U(below(4) != 0 ? 8 : 1024), list, (uint32_t)sizeof list, U(CF_REGION_LIVE));
        break;
    case 3:
        r->length = BODY("uuu", U(CF_MSG_APPLY), U(8), U(below(4)));
        break;
    case 4:
        r->length = BODY("uuuuuu", U(CF_MSG_SUBSCRIBE), U(below(4) * 8u), U(1 + below(2)), U(256), U(100), U(1 + below(2)));
        break;
    case 5:
        r->length = BODY("uuuuuuuuu", U(CF_MSG_CAPTURE), U(8), U(512), U(100), U(16), U(below(6)), U(below(4)), U(below(3)), U(below(2)));
        break;
    case 6:
        r->length = BODY("uuuuauuu", U(CF_MSG_SWAP), U(below(2) * 8u), U(below(2) * 8u), U(768), tasks, 2u, U(below(4)), U(below(2) * 8u), U(0));
        break;
    default:
        r->length = BODY("u", below(2) != 0 ? U(CF_MSG_STOP) : U(CF_MSG_LIVE));
        break;
    }
}

/* About stored programs; the one that is stored drops what is loaded. */
static void store_request(struct record *r) {
    static const uint8_t records[8] = {3, 0, 0xa1, 0, CF_MSG_DROP, 0xff, 0xff, 0xff};
    const uint64_t digest = cf_digest(CF_DIGEST_EMPTY, records, 5);

    switch (below(4)) {
    case 0:
        r->length = BODY("uuub", U(CF_MSG_STORE), U(CF_STORE_WRITE), U(32 + 8 * (below(4) == 0)), records, (uint32_t)sizeof records);
        break;
    case 1:
        r->length = BODY("uuubuu", U(CF_MSG_STORE), U(CF_STORE_COMMIT), U(0), &digest, (uint32_t)sizeof digest, U(5), U(below(2)));
        break;
    case 2:
        r->length = BODY("uuub", U(CF_MSG_STORE), U(below(2) != 0 ? CF_STORE_CLEAR : CF_STORE_LOOK), U(0), records, 0u);
        break;
    default:
        r->length = BODY("uuub", U(CF_MSG_STORE), U(CF_STORE_ERASE), U(256u * below(8)), records, 0u);
        break;
    }
}

static void any_request(struct record *r) {
    static const uint8_t bytes[40] = {1, 2, 3};

    *r = (struct record){.flags = OF_SESSION | IN_ORDER, .kind = CF_KIND_REQ, .version = CF_PROTOCOL_VERSION};
    if (below(3) == 0) {
        loop_request(r);
        return;
    }
    if (below(8) == 0) {
        store_request(r);
        return;
    }
    switch (below(10)) {
    case 0:
        r->flags = 0;
        r->length = BODY("uuu", U(CF_MSG_HELLO), U(CF_PROTOCOL_VERSION), U(below(3)));
        break;
    case 1:
    case 2:
        r->length = BODY("uuuuuuu", U(CF_MSG_RUN), U(below(2)), U(1 + below(12)), U(below(2) * 50u), U(0), U(below(2) * 1000u), U(0));
        break;
    case 3:
        r->length = BODY("uuu", U(CF_MSG_READ), U(below(80)), U(below(80)));
        break;
    case 4:
        r->length = BODY("uub", U(CF_MSG_WRITE), U(below(64)), bytes, below(sizeof bytes));
        break;
    case 5:
        r->length = BODY("uuuu", U(CF_MSG_READ), U(below(12)), U(below(36)), U(CF_REGION_SAMPLES));
        break;
    case 6:
        r->length = BODY("uu", U(CF_MSG_BAUD), U(below(2) != 0 ? 115200 : 921600));
        break;
    case 7:
        r->length = BODY("uuub", U(CF_MSG_CHUNK), U(below(3)), U(below(40)), bytes, 1 + below(8));
        break;
    case 8:
        r->length = BODY("u", below(2) != 0 ? U(CF_MSG_SEAL) : U(CF_MSG_DROP));
        break;
    default:
        r->length = BODY("u", U(CF_MSG_STATUS));
        break;
    }
}

/* A patch section that is right for the image of image_make: of each relation, to each region. */
static uint32_t some_patches(uint8_t *out) {
    const uint8_t unit = (uint8_t)(1u << below(4));
    const uint8_t bits = (uint8_t)(8u * unit);
    const uint8_t section[] = {
        1, (uint8_t)below(4), unit, (uint8_t)below(13), (uint8_t)(below(2) * 64u), (uint8_t)below(16), (uint8_t)below(2), (uint8_t)below(3),
        2, 0, 1, 0, 1, (uint8_t)(bits - 1u), 1, 2, (uint8_t)below(8), 0, 1, 2,
    };
    memcpy(out, section, sizeof section);
    return sizeof section;
}

/* HELLO, BEGIN, CHUNKs, SEAL. */
static void insert_load(struct dialogue *d, uint32_t at) {
    static struct image m;
    static const char keys[] = "uuub";
    uint32_t n = open_gap(d, at, 6);

    image_make(&m, (enum program)below(PROGRAM_TURNS + 1));
    if (below(2) != 0) {
        m.patch_length = some_patches(m.patches);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct record *r = &d->record[at + i];
        *r = (struct record){.flags = OF_SESSION | IN_ORDER, .kind = CF_KIND_REQ, .version = CF_PROTOCOL_VERSION};
        switch (i) {
        case 0:
            r->flags = 0;
            r->length = BODY("uuu", U(CF_MSG_HELLO), U(CF_PROTOCOL_VERSION), U(1));
            break;
        case 1:
            r->flags |= DIGESTED;
            r->length = (uint16_t)image_begin(&m, r->body, MAX_BODY);
            break;
        case 2:
            r->length = BODY(keys, U(CF_MSG_CHUNK), U(CF_REGION_CODE), U(0), m.code, m.code_length);
            break;
        case 3:
            r->length = BODY(keys, U(CF_MSG_CHUNK), U(CF_REGION_DATA), U(0), m.data, m.data_length);
            break;
        case 4:
            if (m.patch_length > 0) {
                r->length = BODY(keys, U(CF_MSG_CHUNK), U(CF_REGION_PATCHES), U(0), m.patches, m.patch_length);
                break;
            }
            any_request(r);
            break;
        default:
            r->length = BODY("u", U(CF_MSG_SEAL));
            break;
        }
    }
}

/* Replaces bytes [at, at + was) of a body. */
static void replace(struct record *r, uint32_t at, uint32_t was, const uint8_t *by, uint32_t n) {
    if (r->length - was + n > MAX_BODY) {
        return;
    }
    memmove(r->body + at + n, r->body + at + was, r->length - at - was);
    memcpy(r->body + at, by, n);
    r->length = (uint16_t)(r->length - was + n);
}

/* Changes the head of one item, and the content of a string with it, mostly. */
static void mutate_item(struct record *r) {
    struct cf_reader reader = {r->body, r->body + r->length};
    uint32_t heads = 0, chosen = 0, head_length = 0;
    struct cf_field f, item = {0};

    while (reader.at < reader.end) { /* any of them, each as likely */
        const uint8_t *start = reader.at;
        if (cf_cbor_head(&reader, &f) != 0) {
            break;
        }
        if (below(++heads) == 0) {
            chosen = (uint32_t)(start - r->body);
            head_length = (uint32_t)(reader.at - start);
            item = f;
        }
        if (f.type == CF_CBOR_BYTES || f.type == CF_CBOR_TEXT) {
            reader.at += f.value;
        }
    }
    if (heads == 0) {
        return;
    }
    uint8_t out[MAX_BODY];
    struct cf_writer w = {out, sizeof out, 0, 0};
    uint32_t was = head_length;
    enum cf_cbor type = item.type == CF_CBOR_WIDE ? CF_CBOR_UINT : (enum cf_cbor)item.type;
    uint64_t value = below(3) == 0 ? edge() : below(3) == 0 ? below(256) : (uint64_t)((int64_t)item.value + (int)below(5) - 2);
    if (below(10) == 0) {
        type = (enum cf_cbor)below(8);
    }
    if (type == CF_CBOR_BYTES && item.type == CF_CBOR_BYTES && below(4) != 0) { /* a string that is as long as it says */
        value = below(2) != 0 ? value % 64u : item.value;
        cf_put_head(&w, type, value);
        memcpy(out + w.length, item.at, value < item.value ? value : item.value);
        memset(out + w.length + (value < item.value ? value : item.value), 0x5a, value < item.value ? 0 : value - item.value);
        if (value > 0 && below(2) != 0) {
            LLVMFuzzerMutate(out + w.length, value, value);
        }
        w.length += (uint32_t)value;
        was += item.value;
    } else if (below(12) == 0) { /* longer than it needs to be */
        const uint32_t info = 24 + below(8);
        out[w.length++] = (uint8_t)((uint32_t)type << 5 | info);
        for (uint32_t width = 1u << (info - 24u) % 4u; width > 0; width--) {
            out[w.length++] = (uint8_t)(width > 4 ? 0 : value >> 8 * (width - 1));
        }
    } else {
        cf_put_head(&w, type, value);
    }
    replace(r, chosen, was, out, w.length);
}

static void mutate_header(struct record *r) {
    switch (below(6)) {
    case 0:
        r->flags ^= (uint8_t)(1u << below(8));
        break;
    case 1:
        r->seq = (int8_t)below(256);
        break;
    case 2:
        r->seq = (int8_t)(below(5) - 2);
        break;
    case 3:
        r->session = (uint16_t)below(4);
        break;
    case 4:
        r->kind = (uint8_t)below(5);
        break;
    default:
        r->version = (uint8_t)below(4);
        break;
    }
}

/* Lets a BEGIN announce what follows. */
static void announce(struct dialogue *d) {
    static struct image m;

    for (uint32_t i = 0; i < d->count; i++) {
        if ((d->record[i].flags & DIGESTED) != 0 && dialogue_image(d, i, &m) != NULL) {
            d->record[i].length = (uint16_t)image_begin(&m, d->record[i].body, MAX_BODY);
        }
    }
}

static void mutate_once(struct dialogue *d) {
    const uint32_t at = d->count == 0 ? 0 : below(d->count);
    struct record *r = &d->record[at];

    switch (d->count == 0 ? 0 : below(13)) {
    case 0:
        insert_load(d, d->count == 0 ? 0 : below(d->count + 1));
        break;
    case 1:
    case 2:
        if (open_gap(d, at, 1) == 1) {
            any_request(r);
        }
        break;
    case 3:
        take_out(d, at);
        break;
    case 4:
        if (open_gap(d, at, 1) == 1) {
            *r = d->record[at + 1 + below(d->count - at - 1)];
        }
        break;
    case 5: {
        const struct record other = *r;
        const uint32_t with = below(d->count);
        *r = d->record[with];
        d->record[with] = other;
        break;
    }
    case 6:
    case 7:
        mutate_header(r);
        break;
    case 8:
        r->length = (uint16_t)LLVMFuzzerMutate(r->body, r->length, MAX_BODY);
        break;
    default:
        mutate_item(r);
        break;
    }
}

void dialogue_mutate(struct dialogue *d, uint32_t seed) {
    rng = (seed + 1u) * 0x9e3779b97f4a7c15u;
    for (uint32_t times = 1 + below(3); times > 0; times--) {
        mutate_once(d);
    }
    if (below(3) == 0) {
        announce(d);
    }
}

void dialogue_cross(struct dialogue *d, const struct dialogue *a, const struct dialogue *b, uint32_t seed) {
    rng = (seed + 1u) * 0x9e3779b97f4a7c15u;
    const uint32_t first = a->count == 0 ? 0 : below(a->count + 1);
    const uint32_t from = b->count == 0 ? 0 : below(b->count);
    uint32_t n = b->count - from;

    n = n < MAX_RECORDS - first ? n : MAX_RECORDS - first;
    memcpy(d->record, a->record, first * sizeof a->record[0]);
    memcpy(d->record + first, b->record + from, n * sizeof b->record[0]);
    d->count = first + n;
}
