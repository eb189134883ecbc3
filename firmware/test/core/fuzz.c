/*
 * Malformed streams into the core, under the sanitizers.
 *
 *     fuzz STREAMS SEED
 *
 * A stream is a whole dialogue: HELLO, BEGIN, CHUNKs, SEAL, RUN and the rest, with every layer wrong at times: which messages there are
 * and in which order, their numbers, the bodies (with right checksums, or nothing would get past the frame decoder), the
 * patch sections (with right digests), the frames, and the pieces in which they arrive. After every stream the answers must be well
 * formed and the runner must still open a session and load and run a right program.
 *
 * The counts printed at the end say what was reached; a status or message that never occurred fails the run.
 */
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "core/crc32c.h"
#include "core/patch.h"
#include "image.h"
#include "wire.h"

#define U(v) ((uint64_t)(v))
#define MESSAGES (CF_MSG_STORE + 1)
#define STATUSES (CF_ERR_NOT_STORED + 1)

static uint64_t rng;
static unsigned long answers[MESSAGES][STATUSES];
static unsigned long acks, silent, patched, refused_patches;

/* xorshift64* */
static uint32_t next(void) {
    rng ^= rng >> 12;
    rng ^= rng << 25;
    rng ^= rng >> 27;
    return (uint32_t)(rng * 0x2545f4914f6cdd1du >> 32);
}

static uint32_t below(uint32_t n) {
    return (uint32_t)((uint64_t)next() * n >> 32);
}

static int one_in(uint32_t n) {
    return below(n) == 0;
}

/* A number that is at an edge of something more often than not. */
static uint64_t edge(uint64_t usual) {
    static const uint64_t edges[] = {0, 1, 23, 24, 255, 256, 511, 512, 513, 1023, 1024, 1025, 0x7fffffff, 0x80000000,
                                     0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff, UINT64_MAX};

    switch (below(8)) {
    case 0:
        return edges[below(sizeof edges / sizeof edges[0])];
    case 1:
        return usual + below(5) - 2;
    case 2:
        return next();
    default:
        return usual;
    }
}

static uint64_t sometimes(uint64_t usual) {
    return one_in(24) ? edge(usual) : usual;
}

/* Changes, removes, inserts or repeats some bytes of b, which has room for capacity. */
static uint32_t mutate(uint8_t *b, uint32_t n, uint32_t capacity) {
    for (uint32_t turns = 1 + below(3); turns > 0; turns--) {
        uint32_t at = n == 0 ? 0 : below(n);
        uint32_t some = n - at == 0 ? 0 : 1 + below(n - at < 8 ? n - at : 8);
        switch (below(6)) {
        case 0:
            if (n > 0) {
                b[at] ^= (uint8_t)(1u << below(8));
            }
            break;
        case 1:
            if (n > 0) {
                b[at] = (uint8_t)next();
            }
            break;
        case 2:
            n = at; /* truncated */
            break;
        case 3:
            memmove(b + at, b + at + some, n - at - some);
            n -= some;
            break;
        case 4:
            if (n < capacity) {
                memmove(b + at + 1, b + at, n - at);
                b[at] = (uint8_t)next();
                n++;
            }
            break;
        default:
            if (n + some <= capacity) {
                memmove(b + at + some, b + at, n - at);
                n += some;
            }
            break;
        }
    }
    return n;
}

static uint32_t put_varint(uint8_t *out, uint32_t v) {
    uint32_t n = 0;

    for (; v > 0x7f; v >>= 7) {
        out[n++] = (uint8_t)(v | 0x80);
    }
    out[n++] = (uint8_t)v;
    return n;
}

/* A patch section that is right for these lengths, except for what sometimes() and mutate() did to it. */
static uint32_t make_patches(uint8_t *out, uint32_t capacity, uint32_t code_length, uint32_t data_length) {
    uint32_t kinds = below(4);
    uint32_t n = put_varint(out, kinds);

    for (; kinds > 0 && n + 64 < capacity; kinds--) {
        uint32_t unit = 1u << below(4);
        uint32_t place_region = below(2), target_region = below(3);
        uint32_t length = place_region == CF_REGION_CODE ? code_length : data_length;
        uint32_t targets = target_region == CF_TARGET_CODE ? code_length + 1 : target_region == CF_TARGET_DATA ? data_length + 1 : 2;
        uint32_t fields = 1 + below(3), count = below(4);
        uint32_t place = 0, target = 0;
        out[n++] = (uint8_t)sometimes(below(4));
        out[n++] = (uint8_t)sometimes(unit);
        out[n++] = (uint8_t)sometimes(below(13));
        out[n++] = (uint8_t)sometimes(one_in(3) ? 0x80u + 33 + below(31) : 0);
        n += put_varint(out + n, (uint32_t)sometimes(below(16)));
        out[n++] = (uint8_t)sometimes(place_region);
        out[n++] = (uint8_t)sometimes(target_region);
        out[n++] = (uint8_t)sometimes(fields);
        for (; fields > 0; fields--) {
            uint32_t bits = 1 + below(8 * unit);
            out[n++] = (uint8_t)sometimes(below(64 - bits + 1));
            out[n++] = (uint8_t)sometimes(bits);
            out[n++] = (uint8_t)sometimes(below(8 * unit - bits + 1));
        }
        if (length < unit) {
            count = 0;
        }
        n += put_varint(out + n, (uint32_t)sometimes(count));
        for (; count > 0; count--) {
            uint32_t dplace = below((length - unit - place) / (count + 1) + 1);
            int32_t dtarget = (int32_t)below(targets) - (int32_t)target;
            place += dplace;
            target += (uint32_t)dtarget;
            n += put_varint(out + n, (uint32_t)sometimes(dplace));
            n += put_varint(out + n, (uint32_t)sometimes((uint32_t)dtarget << 1 ^ (uint32_t)(dtarget >> 31)));
        }
    }
    return one_in(6) ? mutate(out, n, capacity) : n;
}

/* The patch engine by itself: three allocations of exactly the lengths that it is told. */
static void fuzz_patches(void) {
    uint32_t lengths[2] = {below(40), below(40)};
    uint8_t section[400];
    uint32_t n = make_patches(section, sizeof section, lengths[0], lengths[1]);
    uint8_t *exact = malloc(n + (n == 0));
    uint8_t *region[2] = {malloc(lengths[0] + 1), malloc(lengths[1] + 1)};
    struct cf_patch_map map = {.region = {[CF_TARGET_SERVICE] = {.targets = 2}}, .services = bench.services};
    uint32_t detail = 0;

    memcpy(exact, section, n);
    for (uint32_t i = 0; i < 2; i++) {
        region[i] = realloc(region[i], lengths[i] + (lengths[i] == 0));
        memset(region[i], 0x5a, lengths[i] + (lengths[i] == 0));
        map.region[i] = (struct cf_patch_region){region[i], edge(0x10000), lengths[i] + 1};
    }
    int32_t status = cf_patch_apply(&map, exact, n, &detail);
    CHECK(status == CF_OK || status == CF_ERR_BAD_PATCH);
    CHECK(detail <= n);
    CHECK_EQUAL(memcmp(exact, section, n), 0);
    *(status == CF_OK ? &patched : &refused_patches) += 1;
    free(exact);
    free(region[0]);
    free(region[1]);
}

static uint8_t wire[1 << 20];
static uint32_t wire_length;

/* Frames a body, wrong in one of the ways that it can be, and appends it to the stream. */
static void send(uint16_t session, uint16_t seq, uint8_t *bytes, uint32_t n) {
    uint32_t at = wire_length;

    if (one_in(20)) {
        n = mutate(bytes, n, 600);
    }
    if (one_in(60)) {
        session = (uint16_t)sometimes(next());
    }
    if (one_in(60)) {
        seq = (uint16_t)(seq + below(40) - 4);
    }
    wire_length += frame(wire + at, (uint8_t)(one_in(80) ? below(5) : CF_KIND_REQ), (uint8_t)(one_in(80) ? next() : CF_PROTOCOL_VERSION),
                         session, seq, bytes, n);
    if (one_in(30)) { /* on the line */
        wire_length = at + mutate(wire + at, wire_length - at, 2000);
    }
    if (one_in(200)) { /* longer than any packet */
        uint32_t n_long = 300 + below(600);
        memset(wire + wire_length, 1 + (int)below(255), n_long);
        wire_length += n_long;
    }
    if (one_in(60)) { /* twice */
        uint32_t again = wire_length - at;
        memcpy(wire + wire_length, wire + at, again);
        wire_length += again;
    }
}

static void feed(void) {
    for (uint32_t at = 0; at < wire_length;) {
        uint32_t n = one_in(4) ? 1 + below(9) : 1 + below(wire_length);
        n = n < wire_length - at ? n : wire_length - at;
        if (one_in(4)) {
            bench.rx = realloc(bench.rx, n);
            memcpy(bench.rx, wire + at, n);
            for (bench.rx_length = n; bench.rx_length > 0;) {
                cf_core_poll(&bench.core);
            }
        } else {
            uint8_t *exact = malloc(n);
            memcpy(exact, wire + at, n);
            cf_core_feed(&bench.core, exact, n);
            free(exact);
        }
        at += n;
        if (one_in(3)) {
            bench.now += one_in(10) ? 3 * bench.timer_hz : 0;
            cf_core_poll(&bench.core);
        }
        while (bench.core.state == CF_STATE_RUNNING && !one_in(50)) {
            cf_core_poll(&bench.core);
        }
    }
    wire_length = 0;
}

/* Takes what the core has sent; every frame must be right. */
static void collect(void) {
    unsigned long seen = 0;

    for (const struct answer *a = answered(); a->present; a = answered(), seen++) {
        if (a->kind == CF_KIND_ACK) {
            acks++;
        } else if (a->field[0].value < MESSAGES && a->status < STATUSES) {
            answers[a->field[0].value][a->status]++;
        } else {
            CHECK_EQUAL(a->status, CF_ERR_BAD_MESSAGE); /* of a code that does not exist */
        }
    }
    silent += seen == 0;
}

static struct image image;

static void make_image(void) {
    image_make(&image, (enum program)(one_in(2) ? PROGRAM_RETURN : below(PROGRAM_TURNS + 1)));
    image.arch = (uint32_t)sometimes(image.arch);
    image.features = one_in(40) ? edge(1) : 0;
    if (one_in(3)) {
        image.code_length = 2 + below(CODE_SIZE - 1);
        image.data_length = below(200);
        image.bss_length = below(600);
    } else if (one_in(40)) {
        image.code_length = one_in(2) ? 0 : CODE_SIZE + 1;
    }
    if (one_in(2)) {
        image.patch_length = make_patches(image.patches, 400, image.code_length, image.data_length + image.bss_length);
    }
    image.entry[0] = (uint32_t)sometimes(0);
    if (one_in(40)) {
        image.bss_length = (uint32_t)edge(DATA_SIZE);
    }
}

/* Appends a random request other than those of a load. */
static void send_request(uint16_t session, uint16_t seq) {
    uint8_t b[700];
    uint32_t n, data_length = image.data_length + image.bss_length;

    if (one_in(50)) { /* another host */
        send(0, 0, b, body(b, sizeof b, "uuu", U(CF_MSG_HELLO), sometimes(CF_PROTOCOL_VERSION), U(7 + below(2))));
        return;
    }
    switch (below(11)) {
    case 10:
        n = body(b, sizeof b, "uuubuu", U(CF_MSG_STORE), sometimes(below(CF_STORE_CLEAR + 1)), edge(below(8) * 32), image.code, 4 * below(12), edge(below(200)),
                 sometimes(below(2)));
        break;
    case 0: /* the host is gone before the second run */
        n = body(b, sizeof b, "uuuuuuu", U(CF_MSG_RUN), sometimes(below(2)), U(1 + below(3)), U(100000), edge(0), edge(1000), edge(1 + below(90000)));
        break;
    case 1:
    case 2:
        n = body(b, sizeof b, "uuuuuuu", U(CF_MSG_RUN), sometimes(below(2)), one_in(10) ? U(0) : U(1 + below(12)), sometimes(below(2) * 50), sometimes(0),
                 edge(1000));
        break;
    case 3:
        n = body(b, sizeof b, "uuu", U(CF_MSG_READ), edge(below(data_length + 1)), edge(below(data_length + 1)));
        break;
    case 4:
        n = body(b, sizeof b, "uub", U(CF_MSG_WRITE), edge(below(data_length + 1)), image.code, below(100));
        break;
    case 5:
        n = body(b, sizeof b, "uuuu", U(CF_MSG_READ), edge(below(12)), edge(below(36)), sometimes(CF_REGION_SAMPLES));
        break;
    case 6:
        n = body(b, sizeof b, "uu", U(CF_MSG_BAUD), edge(bench.bauds[below(3)]));
        break;
    case 7:
        n = body(b, sizeof b, "u", one_in(3) ? U(CF_MSG_DROP) : U(CF_MSG_STATUS));
        break;
    case 8:
        n = body(b, sizeof b, "u", one_in(3) ? edge(5) : U(CF_MSG_SEAL));
        break;
    default:
        n = body(b, sizeof b, "u", U(CF_MSG_STATUS));
        break;
    }
    send(session, seq, b, n);
}

static void send_chunks(uint16_t session, uint16_t *seq) {
    const struct {
        const uint8_t *bytes;
        uint32_t length;
    } region[] = {{image.code, image.code_length}, {image.data, image.data_length}, {image.patches, image.patch_length}};
    uint8_t b[700];

    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t at = 0; at < region[i].length;) {
            uint32_t n = one_in(200) ? 0 : region[i].length - at < 200 ? region[i].length - at : 200;
            uint16_t number = *seq;
            if (at + n < region[i].length && one_in(4)) {
                number = (uint16_t)(number + 1); /* ahead of its time; the next one takes its place */
            }
            uint32_t length = body(b, sizeof b, "uuub", U(CF_MSG_CHUNK), sometimes(i), sometimes(at), region[i].bytes + at, n);
            if (!one_in(150)) {
                send(session, number, b, length);
            }
            at += n;
            *seq = (uint16_t)(*seq + 1);
        }
    }
}

/* One dialogue. The session that the core will open is known beforehand. */
static void stream(void) {
    uint8_t b[700];
    uint16_t session, seq = 1;

    bench_start(one_in(8) ? CF_MIN_PACKET_LENGTH : PACKET);
    bench.baud_refused = one_in(10);
    bench.timer_hz = one_in(2) ? TIMER_HZ : 1234567;
    wire_length = 0;
    if (one_in(10)) {
        for (uint32_t n = below(60); n > 0; n--) {
            wire[wire_length++] = (uint8_t)next();
        }
        wire[wire_length++] = 0;
    }
    send(0, 0, b, body(b, sizeof b, "uuu", U(CF_MSG_HELLO), sometimes(CF_PROTOCOL_VERSION), U(7)));
    feed();
    collect();
    session = bench.core.link.session;
    for (uint32_t turns = 1 + below(2); turns > 0; turns--) {
        if (!one_in(20)) {
            make_image();
            send(session, seq++, b, image_begin(&image, b, sizeof b));
            send_chunks(session, &seq);
            if (!one_in(20)) {
                send(session, seq++, b, body(b, sizeof b, "u", U(CF_MSG_SEAL)));
            }
        }
        if (one_in(2)) { /* what was lost has to be asked for again */
            feed();
            collect();
            seq = bench.core.link.next;
        }
        for (uint32_t requests = below(8); requests > 0; requests--) {
            send_request(session, seq++);
        }
        feed();
        collect();
        session = bench.core.link.session;
        seq = bench.core.link.next;
    }
    CHECK(bench.core.state <= CF_STATE_TICKING);
    CHECK(bench.core.state == CF_STATE_IDLE || bench.core.image[0].announced[CF_IMAGE_ENTRIES] <= CF_MAX_ENTRIES);
}

/* Whatever came before: a delimiter, and the runner does what it should. */
static void still_works(void) {
    uint8_t b[PACKET];
    static const uint8_t end = 0;
    struct image m;

    cf_core_feed(&bench.core, &end, 1);
    collect();
    CHECK_EQUAL(hello(0x600d)->status, CF_OK);
    ask("u", U(CF_MSG_STOP));
    image_make(&m, PROGRAM_RETURN);
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, b, image_begin(&m, b, sizeof b))->status, CF_OK);
    ask("uuub", U(CF_MSG_CHUNK), U(0), U(0), m.code, m.code_length);
    ask("uuub", U(CF_MSG_CHUNK), U(1), U(0), m.data, m.data_length);
    CHECK_EQUAL(ask("u", U(CF_MSG_SEAL))->status, CF_OK);
    CHECK_EQUAL(ask("uuuuuuu", U(CF_MSG_RUN), U(0), U(2), U(0), U(0), U(0), U(0))->status, CF_OK);
    const struct answer *a = ask("uuu", U(CF_MSG_READ), U(16), U(8));
    CHECK_EQUAL(a->field[2].value, 8);
    CHECK_EQUAL(load32(a->field[2].at), 2);
    CHECK_EQUAL(load32(a->field[2].at + 4), 0xda);
}

/* Every message succeeded and every status occurred, or the streams do not reach what they are for. Loops are those of ticking.c, a
 * CHUNK is only acknowledged, and no message has the code 8. */
static int reached(void) {
    int all = acks > 0 && patched > 0 && refused_patches > 0;

    printf("acks %lu, streams without answer %lu, patch sections applied %lu, refused %lu\n", acks, silent, patched, refused_patches);
    for (uint32_t status = 0; status < STATUSES; status++) {
        unsigned long sum = 0;
        printf("status %3d:", -(int)status);
        for (uint32_t message = 0; message < MESSAGES; message++) {
            sum += answers[message][status];
            printf(" %lu", answers[message][status]);
        }
        printf("\n");
        all = all && (sum > 0 || status == CF_ERR_BUSY); /* the core never is */
    }
    for (uint32_t message = CF_MSG_HELLO; message <= CF_MSG_BAUD; message++) {
        all = all && ((answers[message][0] > 0) != (message == 8) || message == CF_MSG_CHUNK);
    }
    all = all && answers[CF_MSG_STORE][0] > 0;
    return all;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: fuzz STREAMS SEED\n");
        return 2;
    }
    unsigned long streams = strtoul(argv[1], NULL, 10);
    uint64_t seed = strtoull(argv[2], NULL, 10);

    bench_start(PACKET);
    for (unsigned long i = 0; i < streams; i++) {
        rng = (seed + i + 1) * 0x9e3779b97f4a7c15u; /* so that stream i is stream 0 of seed + i */
        stream();
        still_works();
        fuzz_patches();
    }
    printf("%lu streams\n", streams);
    if (!reached()) {
        fprintf(stderr, "not everything was reached\n");
        return 1;
    }
    return 0;
}
