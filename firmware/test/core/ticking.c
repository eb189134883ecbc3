/*
 * Streams of requests to a runner whose loop runs, with ticks at random points: this program is compiled so that each
 * function of the core calls __cyg_profile_func_enter and ..._exit below, and there a tick may interrupt it, as it may between
 * two words that memcpy, which is slow_copy here, has copied.
 *
 * Of three streams one is honest: nothing in it is wrong, so that no set may be torn, no read and no record mixed. One has requests and
 * lists that are wrong at times. In one the program is hostile: instead of ticks, anything is written to what it shares with the
 * link. What counts is that the sanitizers find nothing, and that the runner works as ever afterwards.
 */
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "image.h"
#include "wire.h"

#define U(v) ((uint64_t)(v))
#define HOOK __attribute__((no_instrument_function))

enum mode { HONEST, WRONG, HOSTILE };

static enum mode mode;
static uint32_t armed; /* so many ticks may yet interrupt: fewer than the core tries to read between them */
static uint64_t rng;
static unsigned long ticks, interrupts, sets, reads, records, swaps, ends, scribbles, captures;

/* xorshift64* */
HOOK static uint32_t next(void) {
    rng ^= rng >> 12;
    rng ^= rng << 25;
    rng ^= rng >> 27;
    return (uint32_t)(rng * 0x2545f4914f6cdd1du >> 32);
}

HOOK static uint32_t below(uint32_t n) {
    return (uint32_t)((uint64_t)next() * n >> 32);
}

/* Data: words 4 and 5 are set together, and words 6 to 13 are all the number of calls. */
#define SET 16u
#define SAME 24u
#define SAME_END 56u

static uint32_t task(uint32_t offset, uint8_t *data) {
    const uint32_t n = load32(data + SAME) + 1;

    (void)offset;
    ticks++;
    if (mode == HONEST) {
        CHECK_EQUAL(load32(data + SET), load32(data + SET + 4));
    }
    for (uint32_t at = SAME; at < SAME_END; at += 4) {
        cf_store32(data + at, n);
    }
    bench.cost = below(20) == 0 ? below(5000) : below(900);
    return below(400) == 0 ? 1 + below(7) : 0;
}

HOOK static void interrupt(void) {
    const uint32_t left = armed;

    if (left == 0 || !bench.ticking || below(24) != 0) {
        return;
    }
    armed = 0;
    if (mode == HOSTILE) {
        static const uint32_t edges[] = {0, 1, 2, 3, 4, 5, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc};
        uint32_t *word = (uint32_t *)bench.platform.loop;
        for (uint32_t n = 1 + below(8); n > 0; n--) {
            word[below(sizeof *bench.platform.loop / 4)] = below(2) ? next() : edges[below(10)];
        }
        scribbles++;
    } else if (bench.next_tick != UINT64_MAX) {
        interrupts++;
        bench_tick(below(50));
    }
    armed = left - 1;
}

HOOK void __cyg_profile_func_enter(void *function, void *from);
HOOK void __cyg_profile_func_exit(void *function, void *from);

HOOK void __cyg_profile_func_enter(void *function, void *from) {
    (void)function, (void)from;
    interrupt();
}

HOOK void __cyg_profile_func_exit(void *function, void *from) {
    (void)function, (void)from;
    interrupt();
}

HOOK void *slow_copy(void *to, const void *from, size_t n);

HOOK void *slow_copy(void *to, const void *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i % 4 == 0) {
            interrupt();
        }
        ((volatile uint8_t *)to)[i] = ((const volatile uint8_t *)from)[i];
    }
    return to;
}

/* A number that an honest host would not send, at times. */
static uint64_t sometimes(uint64_t usual) {
    static const uint64_t edges[] = {0, 1, 2, 3, 4, 64, 511, 512, 1024, LIVE_SIZE - 4, LIVE_SIZE, 0x3fffffff, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff, 0x100000000};

    if (mode == HONEST || below(12) != 0) {
        return usual;
    }
    return below(2) ? edges[below(sizeof edges / sizeof edges[0])] : next() % (2 * LIVE_SIZE);
}

/* Sends a body, in which a byte may have changed, and takes the answer. */
static const struct answer *send(uint8_t *b, uint32_t n) {
    if (mode != HONEST && below(30) == 0) {
        b[below(n)] ^= (uint8_t)(1u << below(8));
    }
    armed = 8;
    const struct answer *a = ask_as(bench.core.link.session, bench.core.link.next, b, n);
    while (a->present && a->kind != CF_KIND_RSP) {
        a = answered();
    }
    armed = 0;
    return a;
}

#define SEND(...) send(b, body(b, sizeof b, __VA_ARGS__))

/* Where things lie in live memory. */
#define LIST_SET 8u
#define LIST_SAFE 64u
#define LIST_SAME 100u
#define LIST_MOVES 140u
#define SCRATCH 200u
#define RING 300u
#define CAPTURED 900u
#define HISTOGRAMS 1500u

static void put(uint32_t place, uint32_t count, const uint32_t *words) {
    uint8_t b[600], bytes[64];

    for (uint32_t i = 0; i < count; i++) {
        cf_store32(bytes + 4 * i, (uint32_t)sometimes(words[i]));
    }
    SEND("uubu", U(CF_MSG_WRITE), U(place), bytes, 4 * count, U(CF_REGION_LIVE));
}

#define PUT(place, ...) put(place, sizeof(const uint32_t[]){__VA_ARGS__} / 4, (const uint32_t[]){__VA_ARGS__})

static void load(struct image *m) {
    uint8_t b[600];

    send(b, image_begin(m, b, sizeof b));
    SEND("uuub", U(CF_MSG_CHUNK), U(0), U(0), m->code, m->code_length);
    SEND("uuub", U(CF_MSG_CHUNK), U(1), U(0), m->data, m->data_length);
    SEND("u", U(CF_MSG_SEAL));
}

static void start(void) {
    uint8_t b[600];
    const uint32_t tasks[] = {(uint32_t)sometimes(0), (uint32_t)sometimes(1 + below(2))};

    PUT(LIST_SET, 1, SET, 8, 0, 0);
    PUT(LIST_SAFE, 1, SAME_END, 4, 0x5afe);
    PUT(LIST_SAME, 2, SAME, 16, SAME + 16, 16);
    PUT(LIST_MOVES, 1, SET, SAME_END - SET);
    PUT(HISTOGRAMS, 40);
    SEND("uuuuauuuu", U(CF_MSG_START), sometimes(1000), U(next()), sometimes(0), tasks, 2u, sometimes(below(3) ? 0 : 4), sometimes(below(3) ? 0 : 20000),
         sometimes(LIST_SAFE), sometimes(below(2) ? 0 : HISTOGRAMS));
}

static void same(const uint8_t *bytes, uint32_t length) {
    for (uint32_t i = 4; i < length && mode == HONEST; i += 4) {
        CHECK_EQUAL(load32(bytes + i), load32(bytes));
    }
}

static void request(void) {
    uint8_t b[600];
    const struct answer *a;
    const uint32_t value = next();

    switch (below(12)) {
    case 0:
        a = SEND("u", U(CF_MSG_LIVE));
        /* A changed byte can have made another request of it, as a DROP, which a loop makes the runner too busy for. */
        CHECK(mode == HOSTILE || a->field[0].value != CF_MSG_LIVE || a->status != CF_ERR_BUSY);
        break;
    case 1:
    case 2:
        if (cf_get(&bench.platform.loop->staged) == 0 || mode != HONEST) { /* an honest host leaves a set alone that is not yet applied */
            PUT(LIST_SET + 12, value, value);
            sets += SEND("uuu", U(CF_MSG_APPLY), sometimes(LIST_SET), sometimes(below(3) ? 0 : bench.platform.loop->tick + below(5)))->status == CF_OK;
        }
        break;
    case 3:
    case 4:
        a = SEND("uuu", U(CF_MSG_READ), sometimes(SAME), sometimes(SAME_END - SAME));
        if (a->status == CF_OK && mode == HONEST) {
            same(a->field[2].at, a->field[2].value);
            reads++;
        }
        break;
    case 5:
        SEND("uuuuuu", U(CF_MSG_SUBSCRIBE), sometimes(below(8) ? LIST_SAME : 0), sometimes(1 + below(3)), sometimes(RING), sometimes(400), sometimes(1 + below(3)));
        break;
    case 6:
        captures += SEND("uuuuuuuuu", U(CF_MSG_CAPTURE), sometimes(LIST_SAME), sometimes(CAPTURED), sometimes(400), sometimes(SAME), sometimes(below(6)),
                         sometimes(below(20)), sometimes(below(8)), sometimes(below(2)))->status == CF_OK;
        break;
    case 7: {
        struct image m;
        const uint32_t tasks[] = {0, 1};
        image_make(&m, PROGRAM_RETURN);
        m.data[SET + 4] = 0;
        load(&m);
        if (below(4) != 0) {
            swaps += SEND("uuuuauuu", U(CF_MSG_SWAP), sometimes(LIST_MOVES), sometimes(LIST_MOVES), sometimes(SCRATCH), tasks, 2u, sometimes(below(6)),
                          sometimes(LIST_SAFE), sometimes(bench.core.stream.on && below(3) ? LIST_SAME : 0))->status == CF_OK;
        }
        break;
    }
    case 8:
        SEND("uuuu", U(CF_MSG_READ), sometimes(below(LIVE_SIZE)), sometimes(below(400)), sometimes(CF_REGION_LIVE));
        break;
    case 9:
        if (below(4) == 0) {
            SEND("u", below(2) ? U(CF_MSG_STOP) : U(CF_MSG_DROP));
        } else {
            SEND("u", U(CF_MSG_STATUS));
        }
        break;
    case 10:
        if (mode == WRONG) { /* anything at all into live memory */
            put(4 * below(LIVE_SIZE / 4 - 4), 4, (const uint32_t[]){next(), below(8), below(80), 4});
        }
        if (below(10) == 0) {
            armed = 8;
            hello(1 + below(3));
            armed = 0;
        }
        break;
    default:
        if (!bench.ticking) {
            start();
        }
        break;
    }
}

/* Lets the main loop turn, and looks at the telemetry that comes of it. */
static void turn(void) {
    armed = 8;
    CHECK_EQUAL(cf_core_poll(&bench.core), 0);
    armed = 0;
    for (const struct answer *a; (a = answered())->present;) {
        if (a->kind == CF_KIND_TEL && mode == HONEST) {
            const uint8_t *v = a->packet + CF_HEADER_LENGTH + 12;
            for (; v < a->packet + a->length; v += 32) {
                same(v, 32);
                records++;
            }
        }
    }
}

/* Whatever came before: the runner does what it should. */
static void still_works(void) {
    uint8_t b[600];
    struct image m;

    mode = HONEST;
    bench.task = NULL;
    CHECK_EQUAL(hello(0x600d)->status, CF_OK);
    SEND("u", U(CF_MSG_STOP));
    CHECK_EQUAL(SEND("u", U(CF_MSG_DROP))->status, CF_OK);
    image_make(&m, PROGRAM_RETURN);
    m.data[SET + 4] = 0;
    load(&m);
    CHECK_EQUAL(SEND("uuuuuuu", U(CF_MSG_RUN), U(0), U(2), U(0), U(0), U(0), U(0))->status, CF_OK);
    start();
    CHECK(bench.ticking);
    bench_tick(0);
    CHECK_EQUAL(SEND("u", U(CF_MSG_STOP))->status, CF_OK);
    const struct answer *a = SEND("uuu", U(CF_MSG_READ), U(16), U(4));
    CHECK(a->status == CF_OK && load32(a->field[2].at) >= 3);
}

static void stream(unsigned long number) {
    struct image m;

    mode = (enum mode)(number % 3);
    bench_start(PACKET);
    memset(bench.platform.live, 0, LIVE_SIZE);
    bench.task = task;
    hello(7);
    image_make(&m, PROGRAM_RETURN);
    m.data[SET + 4] = 0;
    load(&m);
    start();
    for (uint32_t n = 5 + below(30); n > 0; n--) {
        const int before = bench.ticking;
        request();
        turn();
        if (mode != HOSTILE && bench.ticking && bench.next_tick != UINT64_MAX) {
            bench_tick(below(100));
        }
        ends += before && !bench.ticking;
    }
    if (mode == HOSTILE) { /* its process has ended */
        bench.lost = (struct cf_fault){CF_FAULT_OTHER, 0, 0, 0};
        if (bench.ticking) {
            turn();
        }
        CHECK(!bench.ticking);
    }
    still_works();
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: ticking STREAMS SEED\n");
        return 2;
    }
    const unsigned long streams = strtoul(argv[1], NULL, 10);
    const uint64_t seed = strtoull(argv[2], NULL, 10);

    for (unsigned long i = 0; i < streams; i++) {
        rng = (seed + i + 1) * 0x9e3779b97f4a7c15u; /* so that stream i is that of any run whose seed and number have this sum */
        stream((unsigned long)(seed + i));
    }
    printf("%lu streams, %lu calls of tasks, %lu interruptions; %lu sets, %lu reads, %lu records, %lu captures, %lu swaps, %lu ends, %lu scribbles\n", streams,
           ticks, interrupts, sets, reads, records, captures, swaps, ends, scribbles);
    if (sets == 0 || reads == 0 || records == 0 || captures == 0 || swaps == 0 || ends == 0 || scribbles == 0 || interrupts == 0) {
        fprintf(stderr, "not everything was reached\n");
        return 1;
    }
    return 0;
}
