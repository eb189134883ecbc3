/*
 * The core under libFuzzer: plays dialogues and checks what comes back.
 *
 *     COPAFLASH_FRAMES=10000000 guided CORPUS...   ends, well, after so many frames
 *
 * After a dialogue the answers must have been well formed, and after every eighth one the runner must load and run a right program.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "dialogue.h"
#include "wire.h"

/* Of libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length, uint8_t *out, size_t capacity,
                                 unsigned seed);

#define SLICES 4 /* of a RUN, behind each record */
#define SLOW_HZ 20011u /* so that a slice is some ten runs */

static struct dialogue dialogue;
static unsigned long long frames;

static void feed(const struct record *r, const uint8_t *bytes, uint32_t n) {
    const uint32_t piece = (r->flags & IN_PIECES) != 0 ? 7 : n;

    for (uint32_t at = 0; at < n; at += piece) {
        const uint32_t length = n - at < piece ? n - at : piece;
        uint8_t *exact = malloc(length); /* so that the sanitizer sees the first byte too far */
        memcpy(exact, bytes + at, length);
        if ((r->flags & QUEUED) != 0) {
            bench.rx = exact;
            for (bench.rx_length = length; bench.rx_length > 0;) {
                (void)cf_core_poll(&bench.core);
            }
            bench.rx = NULL;
        } else {
            cf_core_feed(&bench.core, exact, length);
        }
        free(exact);
    }
}

static void play(uint32_t at) {
    static uint8_t wire[2 * MAX_BODY];
    static struct image m;
    struct record *r = &dialogue.record[at];
    const struct cf_link *link = &bench.core.link;

    frames++;
    if ((r->flags & RAW) != 0) {
        feed(r, r->body, r->length);
    } else {
        if ((r->flags & DIGESTED) != 0) {
            uint8_t *digest = dialogue_image(&dialogue, at, &m);
            if (digest != NULL) {
                image_digest(&m, digest);
            }
        }
        const uint16_t session = (r->flags & OF_SESSION) != 0 ? link->session : r->session;
        const uint16_t seq = (uint16_t)(r->seq + ((r->flags & IN_ORDER) != 0 ? link->next : 0));
        uint32_t n = frame(wire, r->kind, r->version, session, seq, r->body, r->length);
        if ((r->flags & DAMAGED) != 0) {
            wire[n - 2] ^= 0x80; /* a code of 0x80 would end the frame, which is no less wrong */
        }
        feed(r, wire, n);
    }
    if (bench.ticking && bench.next_tick != UINT64_MAX) {
        bench_tick(0);
    }
    for (uint32_t i = 0; i < SLICES && bench.core.state == CF_STATE_RUNNING; i++) {
        (void)cf_core_poll(&bench.core);
    }
    if ((r->flags & LATE) != 0) {
        bench.now += 3 * (uint64_t)bench.timer_hz;
        (void)cf_core_poll(&bench.core);
    }
}

static void collect(void) {
    for (const struct answer *a = answered(); a->present; a = answered()) {
        CHECK(a->kind == CF_KIND_ACK || a->kind == CF_KIND_RSP || a->kind == CF_KIND_TEL);
        if (a->kind == CF_KIND_RSP) {
            CHECK(a->status >= 0 && a->status < 24);
            CHECK(a->field[0].value <= CF_MSG_STORE || a->status == CF_ERR_BAD_MESSAGE);
        }
    }
    CHECK(bench.core.state <= CF_STATE_TICKING);
}

static void still_works(void) {
    static const uint8_t end = 0;
    static struct image m;
    uint8_t b[PACKET];

    cf_core_feed(&bench.core, &end, 1);
    collect();
    CHECK_EQUAL(hello(0x600d)->status, CF_OK);
    ask("u", (uint64_t)CF_MSG_STOP);
    image_make(&m, PROGRAM_RETURN);
    CHECK_EQUAL(ask_as(bench.core.link.session, next_seq++, b, image_begin(&m, b, sizeof b))->status, CF_OK);
    ask("uuub", (uint64_t)CF_MSG_CHUNK, (uint64_t)0, (uint64_t)0, m.code, m.code_length);
    ask("uuub", (uint64_t)CF_MSG_CHUNK, (uint64_t)1, (uint64_t)0, m.data, m.data_length);
    CHECK_EQUAL(ask("u", (uint64_t)CF_MSG_SEAL)->status, CF_OK);
    CHECK_EQUAL(ask("uuuuuuu", (uint64_t)CF_MSG_RUN, (uint64_t)0, (uint64_t)2, (uint64_t)0, (uint64_t)0, (uint64_t)0, (uint64_t)0)->status, CF_OK);
    const struct answer *a = ask("uuu", (uint64_t)CF_MSG_READ, (uint64_t)16, (uint64_t)8);
    CHECK_EQUAL(a->field[2].value, 8);
    CHECK_EQUAL(load32(a->field[2].at), 2);
    CHECK_EQUAL(load32(a->field[2].at + 4), 0xda);
    frames += 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static unsigned long long most, inputs;

    if (inputs++ == 0) {
        const char *text = getenv("COPAFLASH_FRAMES");
        most = text != NULL ? strtoull(text, NULL, 10) : 0;
    }
    bench.nonce = 0; /* the same session ids each time */
    bench_store(2048, 256, 4);
    bench_start(length % 8 == 0 ? CF_MIN_PACKET_LENGTH : PACKET);
    bench.baud_refused = length % 5 == 0;
    bench.timer_hz = SLOW_HZ;
    memset(bench.platform.live, 0, LIVE_SIZE);
    dialogue_read(&dialogue, bytes, length);
    for (uint32_t i = 0; i < dialogue.count; i++) {
        play(i);
    }
    collect();
    if (length % 8 == 2) {
        bench_start(PACKET); /* with what has been stored */
        CHECK(bench.core.state == CF_STATE_IDLE || bench.core.store.told.state == CF_STORED_DONE);
    }
    if (length % 8 == 1 || length % 8 == 2) {
        still_works();
    }
    if (most != 0 && frames >= most) {
        fprintf(stderr, "%llu frames in %llu dialogues\n", frames, inputs);
        fflush(NULL);
        _exit(0); /* exit is a finding to libFuzzer */
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed) {
    dialogue_read(&dialogue, bytes, length);
    dialogue_mutate(&dialogue, seed);
    return dialogue_write(&dialogue, bytes, capacity);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length, uint8_t *out, size_t capacity,
                                 unsigned seed) {
    static struct dialogue first, second;

    dialogue_read(&first, a, a_length);
    dialogue_read(&second, b, b_length);
    dialogue_cross(&dialogue, &first, &second, seed);
    return dialogue_write(&dialogue, out, capacity);
}
