/* The core against protocol/testdata/vectors, the same files that the Go side is tested with. */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "core/bytes.h"
#include "core/patch.h"

#define COLUMNS 11

static char line[1 << 20];
static char *column[COLUMNS];
static const char *file_name;
static int line_number;

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "%s:%d: %s: %s\n", file_name, line_number, column[0], what);
    exit(1);
}

/* Reads the next row into column[0, count). Returns 0 at the end of the file. */
static int row(FILE *f, int count) {
    while (fgets(line, sizeof line, f) != NULL) {
        line_number++;
        line[strcspn(line, "\n")] = 0;
        if (line[0] == 0 || line[0] == '#') {
            continue;
        }
        char *at = line;
        for (int i = 0; i < count; i++) {
            column[i] = at;
            at = strstr(at, " | ");
            if (at == NULL && i < count - 1) {
                fail("too few columns");
            }
            if (at != NULL) {
                *at = 0;
                at += 3;
            }
        }
        return 1;
    }
    return 0;
}

struct bytes {
    uint8_t *at; /* allocated, exactly length bytes */
    uint32_t length;
};

/* Decodes hexadecimal digits up to a comma or the end; "-" is nothing. */
static struct bytes hex(const char *text) {
    uint32_t digits = text[0] == '-' ? 0 : (uint32_t)strcspn(text, ",");
    struct bytes b = {malloc(digits / 2 + (digits == 0)), digits / 2};

    for (uint32_t i = 0; i < b.length; i++) {
        unsigned v;
        if (sscanf(text + 2 * i, "%2x", &v) != 1) {
            fail("bad hexadecimal digits");
        }
        b.at[i] = (uint8_t)v;
    }
    return b;
}

static void expect(const uint8_t *got, uint32_t length, const char *want) {
    struct bytes w = hex(want);

    if (length != w.length || memcmp(got, w.at, length) != 0) {
        fail("other bytes than expected");
    }
    free(w.at);
}

/* Feeds a row's bytes in pieces of one size and compares packets and counts. */
static void check_frames(struct bytes wire, uint32_t max, uint32_t piece) {
    uint8_t *packet = malloc(max);
    struct cf_decoder d = {.packet = packet, .capacity = max};
    const char *want = column[3];
    unsigned crc_errors = 0, framing_errors = 0;

    for (uint32_t at = 0; at < wire.length; at += piece) {
        const uint8_t *p = wire.at + at;
        const uint8_t *end = wire.length - at < piece ? wire.at + wire.length : p + piece;
        while (p < end) {
            switch (cf_decoder_feed(&d, &p, end)) {
            case CF_FEED_PACKET:
                if (want == NULL || want[0] == '-') {
                    fail("a packet too many");
                }
                expect(packet, d.length, want);
                want = strchr(want, ',');
                want = want == NULL ? NULL : want + 1;
                break;
            case CF_FEED_CRC:
                crc_errors++;
                break;
            case CF_FEED_FRAMING:
                framing_errors++;
                break;
            case CF_FEED_MORE:
                break;
            }
        }
    }
    if (want != NULL && want[0] != '-') {
        fail("a packet is missing");
    }
    if (crc_errors != strtoul(column[4], NULL, 10) || framing_errors != strtoul(column[5], NULL, 10)) {
        fail("other error counts than expected");
    }
    free(packet);
}

static void frames(FILE *f) {
    while (row(f, 6)) {
        struct bytes wire = hex(column[2]);
        uint32_t max = (uint32_t)strtoul(column[1], NULL, 10);
        check_frames(wire, max, 1);
        check_frames(wire, max, 7);
        check_frames(wire, max, 1u << 20);
        free(wire.at);
    }
}

/* Sends one body to a fresh runner. Returns the status of the answer. */
static int32_t status_of(const struct bytes *body, int hello) {
    static const uint8_t open[] = {0xa3, 0, 1, 1, CF_PROTOCOL_VERSION, 2, 1};
    static uint8_t wire[1 << 17], packet[CF_MAX_PACKET_LENGTH];
    struct cf_field field[2];
    uint32_t at = 0;

    bench_start(PACKET);
    if (!hello) {
        cf_core_feed(&bench.core, wire, frame(wire, CF_KIND_REQ, CF_PROTOCOL_VERSION, 0, 0, open, sizeof open));
        bench.tx_length = 0;
    }
    cf_core_feed(&bench.core, wire,
                 frame(wire, CF_KIND_REQ, CF_PROTOCOL_VERSION, hello ? 0 : bench.core.link.session, hello ? 0 : 1, body->at, body->length));
    uint32_t n = sent(&at, packet);
    if (n == 0) {
        return CF_OK; /* a CHUNK is only acknowledged */
    }
    struct cf_reader r = {packet + CF_HEADER_LENGTH, packet + n};
    if (cf_cbor_map(&r, field, 2) != 0) {
        fail("malformed answer");
    }
    return field[1].type == CF_CBOR_UINT ? (int32_t)field[1].value : 1 + (int32_t)field[1].value;
}

static void bodies(FILE *f) {
    while (row(f, 5)) {
        if (strcmp(column[1], "request") != 0) {
            continue;
        }
        struct bytes body = hex(column[2]);
        int32_t status = status_of(&body, strncmp(column[0], "hello", 5) == 0);
        int bad = strcmp(column[3], "bad") == 0;
        if (bad != (status == CF_ERR_BAD_MESSAGE)) {
            fail(bad ? "taken" : "refused");
        }
        free(body.at);
    }
}

static void patches(FILE *f) {
    while (row(f, 10)) {
        struct bytes code = hex(column[3]), data = hex(column[4]), section = hex(column[6]);
        uintptr_t services[16];
        struct cf_patch_map map = {
            .region = {{code.at, strtoull(column[1], NULL, 16), code.length + 1}, {data.at, strtoull(column[2], NULL, 16), data.length + 1}},
            .services = services,
        };
        for (const char *s = column[5]; s != NULL && s[0] != '-'; s = strchr(s, ',')) {
            s += s[0] == ',';
            services[map.region[CF_TARGET_SERVICE].targets++] = (uintptr_t)strtoull(s, NULL, 16);
        }
        uint32_t detail = 0;
        int32_t status = cf_patch_apply(&map, section.at, section.length, &detail);
        if (strcmp(column[7], "bad") == 0) {
            if (status != CF_ERR_BAD_PATCH || detail > section.length) {
                fail("taken");
            }
        } else {
            if (status != CF_OK) {
                fail("refused");
            }
            expect(code.at, code.length, column[8]);
            expect(data.at, data.length, column[9]);
        }
        free(code.at);
        free(data.at);
        free(section.at);
    }
}

/* Has a runner send the records of a row, which wait in a ring of its loop. */
static void telemetry(FILE *f) {
    static uint8_t packet[CF_MAX_PACKET_LENGTH];

    while (row(f, 11)) {
        if (strcmp(column[6], "ok") != 0) {
            continue; /* no runner sends it */
        }
        bench_start(PACKET);
        struct cf_core *c = &bench.core;
        struct cf_loop *l = bench.platform.loop;
        const uint32_t length = (uint32_t)strtoul(column[1], NULL, 10);
        const uint32_t tick = (uint32_t)strtoul(column[7], NULL, 10);
        uint8_t *to = bench.platform.live + 4;
        uint32_t n = 0;

        for (const char *values = column[10]; values != NULL; n++) {
            struct bytes b = hex(values);
            CHECK_EQUAL(b.length, length);
            cf_store32(to, tick + n);
            cf_store32(to + 4, n == 0 ? (uint32_t)strtoul(column[8], NULL, 10) : 0x55555555u);
            memcpy(to + 8, b.at, length);
            to += 8 + length;
            free(b.at);
            values = strchr(values, ',');
            values = values == NULL ? NULL : values + 1;
        }
        c->state = CF_STATE_TICKING;
        bench.ticking = 1;
        c->link.session = (uint16_t)strtoul(column[2], NULL, 10);
        c->link.next = (uint16_t)strtoul(column[4], NULL, 10);
        c->stream.ring = (struct cf_records){.place = 4, .record = 8 + length, .slots = n};
        c->stream.every = 1;
        c->stream.batch = n;
        c->stream.seq = (uint16_t)strtoul(column[3], NULL, 10);
        c->stream.on = 1;
        l->written = n;
        l->count[CF_LOOP_DROPS] = (uint32_t)strtoul(column[9], NULL, 10);
        CHECK_EQUAL(cf_core_poll(c), 0);
        uint32_t at = 0;
        const uint32_t got = sent(&at, packet);
        if (got == 0) {
            fail("nothing sent");
        }
        expect(packet, got, column[5]);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*check)(FILE *);
    } kinds[] = {{"frames.txt", frames}, {"bodies.txt", bodies}, {"patches.txt", patches}, {"tel.txt", telemetry}};
    static char path[4096];

    if (argc != 2) {
        fprintf(stderr, "usage: vectors DIRECTORY\n");
        return 2;
    }
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], kinds[i].name);
        FILE *f = fopen(path, "r");
        if (f == NULL) {
            perror(path);
            return 1;
        }
        file_name = path;
        line_number = 0;
        kinds[i].check(f);
        CHECK(line_number > 0);
        fclose(f);
    }
    return 0;
}
