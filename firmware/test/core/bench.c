#include "bench.h"

#include <stdio.h>
#include <string.h>

#include "core/crc32c.h"
#include "wire.h"

struct bench bench;

static const struct cf_pin_windows windows = {
    .feature = CF_LOOP_PINS,
    .window = {
        {PLAIN_AT, PLAIN_LENGTH, UINT32_MAX},
        {GUARDED_AT, GUARDED_LENGTH, GUARDED_BITS},
        {COUNTER_AT, COUNTER_LENGTH, UINT32_MAX},
        {0, 0, 0},
    },
};

static void *keep(void *old, size_t size) {
    free(old);
    return calloc(1, size);
}

#if CF_HAS_STORE
void bench_store(uint32_t length, uint32_t page, uint32_t unit) {
    free(bench.slots);
    bench.slots = malloc(2 * length);
    memset(bench.slots, 0xff, 2 * length);
    bench.memory = (struct cf_store_memory){length, page, unit, 7, bench.slots, unit > 32 ? unit : 32};
}

void cf_hal_store_erase(uint32_t offset) {
    CHECK(offset < 2 * bench.memory.length && offset % bench.memory.page == 0);
    if (bench.power != NULL) {
        bench.power(bench.slots + offset, NULL, bench.memory.page);
    }
    if (!bench.stuck) {
        memset(bench.slots + offset, 0xff, bench.memory.page);
    }
}

void cf_hal_store_write(uint32_t offset, const uint8_t *bytes, uint32_t n) {
    const uint32_t unit = bench.memory.unit;
    uint8_t one[256];

    CHECK(offset % unit == 0 && unit <= sizeof one);
    CHECK(n % unit == 0 || (n == 32 && offset % bench.memory.length == 0));
    CHECK(offset <= 2 * bench.memory.length && n <= 2 * bench.memory.length - offset);
    for (uint32_t at = 0; at < n; at += unit) {
        memset(one, 0xff, unit);
        memcpy(one, bytes + at, n - at < unit ? n - at : unit);
        if (bench.power != NULL) {
            bench.power(bench.slots + offset + at, one, unit);
        }
        for (uint32_t i = 0; i < unit && !bench.stuck; i++) {
            bench.slots[offset + at + i] &= one[i]; /* ones come back by erasing alone */
        }
    }
}

int cf_hal_store_held(void) {
    return bench.held;
}
#endif

void bench_start(uint32_t max_packet) {
    struct cf_platform *p = &bench.platform;

    if (p->code_write == NULL) {
        p->code_write = calloc(1, CODE_SIZE);
        p->data = calloc(1, DATA_SIZE);
        p->samples = calloc(SAMPLES, sizeof *p->samples);
        p->live = calloc(1, LIVE_SIZE);
        p->loop = calloc(1, sizeof *p->loop);
    }
    if (p->capacity[CF_CAPACITY_PACKET] != max_packet) {
        p->rx_packet = keep(p->rx_packet, max_packet);
        p->tx_packet = keep(p->tx_packet, max_packet);
        p->capacity[CF_CAPACITY_PACKET] = max_packet;
    }
    p->about = "bench\ntest";
    p->about_length = sizeof "bench\ntest" - 1u;
    p->arch = CF_ARCH_THUMBV6M;
    p->features = CF_FEAT_SSE41;
    p->code_exec = 0x10000;
    p->capacity[CF_CAPACITY_CODE] = CODE_SIZE;
    p->capacity[CF_CAPACITY_DATA] = DATA_SIZE;
    p->capacity[CF_CAPACITY_SAMPLES] = SAMPLES;
    p->capacity[CF_CAPACITY_WINDOW] = 2048;
    p->capacity[CF_CAPACITY_LIVE] = LIVE_SIZE;
    p->loop_features = CF_LOOP_WATCHDOG;
    p->windows = &windows;
#if CF_HAS_STORE
    if (bench.slots == NULL) {
        bench_store(2048, 256, 4);
    }
    p->store = &bench.memory;
#endif
    bench.bauds[0] = 115200;
    bench.bauds[1] = 921600;
    bench.bauds[2] = 3000000;
    p->bauds = bench.bauds;
    p->baud_count = 3;
    bench.services[0] = 0x20000;
    bench.services[1] = 0x30000;
    p->services = bench.services;
    p->service_count = 2;
    bench.timer_hz = TIMER_HZ;
    bench.slow = TIMER_HZ;
    bench.boot_fault = NULL;
    bench.conditions = 0;
    bench.watchdog = CF_OK;

    bench.now = bench.begin;
    bench.baud = bench.bauds[0];
    bench.baud_refused = 0;
    bench.hung_up = 0;
    bench.calls = 0;
    bench.waits = 0;
    bench.outside = 0x99;
    bench.unloads = 0;
    bench.synced = 0;
    bench.rx_length = 0;
    bench.tx_length = 0;
    bench.ticking = 0;
    bench.next_tick = UINT64_MAX;
    bench.cost = 10;
    bench.lost.kind = 0;
    bench.task = NULL;
    memset(bench.registers, 0, sizeof bench.registers);
    bench.accesses = 0;
    if (bench.tx == NULL) {
        bench.tx_capacity = 4096;
        bench.tx = malloc(bench.tx_capacity);
    }
    bench.nonce++;
    memset(&bench.core, 0, sizeof bench.core);
    cf_core_init(&bench.core, p);
}

void bench_fail(const char *file, int line, const char *what, long long got, long long want) {
    fprintf(stderr, "%s:%d: %s: got %lld, want %lld\n", file, line, what, got, want);
    exit(1);
}

uint64_t bench_near(cf_moment at) {
    return bench.now + (uint64_t)(int64_t)(cf_difference)(at - (cf_moment)bench.now);
}

uint32_t cf_hal_rx(uint8_t *dst, uint32_t cap) {
    uint32_t n = bench.rx_length < cap ? bench.rx_length : cap;

    if (CF_SMALL && n == 0 && bench.core.state == CF_STATE_RUNNING && bench_near(bench.core.job.mark) > bench.now + bench.timer_hz / 256u) {
        bench.now += bench.timer_hz / 256u; /* what another one sleeps for */
    }
    if (n > 0) {
        memcpy(dst, bench.rx, n);
        memmove(bench.rx, bench.rx + n, bench.rx_length - n);
        bench.rx_length -= n;
    }
    return n;
}

void cf_hal_tx(const uint8_t *src, uint32_t len) {
    if (bench.tx_capacity - bench.tx_length < len) {
        bench.tx_capacity = 2 * (bench.tx_length + len);
        bench.tx = realloc(bench.tx, bench.tx_capacity);
    }
    memcpy(bench.tx + bench.tx_length, src, len);
    bench.tx_length += len;
}

int cf_hal_wait(cf_moment deadline) {
    CHECK(!CF_SMALL || deadline == CF_NEVER);
    bench.waits++;
    bench.last_deadline = deadline;
    if (bench.core.state == CF_STATE_RUNNING && deadline > bench.now) {
        bench.now = deadline;
    }
    return bench.hung_up ? -1 : 0;
}

cf_moment cf_hal_ticks(void) {
    return (cf_moment)bench.now;
}

void cf_hal_until(cf_moment at) {
    if (bench_near(at) > bench.now) {
        bench.now = bench_near(at);
    }
}

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    CHECK(offset <= CODE_SIZE && len <= CODE_SIZE - offset);
    if (bench.synced < offset + len) {
        bench.synced = offset + len;
    }
}

void cf_hal_unload(void) {
    bench.unloads++;
    bench.synced = 0;
}

int bench_has_words(const uint8_t *data, uint32_t count) {
    return 4u * count <= (uint32_t)(bench.platform.data + DATA_SIZE - data);
}

int cf_hal_call(uintptr_t entry, void *data, cf_number limit, struct cf_call *call) {
    uintptr_t offset = entry - bench.platform.code_exec;
    uint8_t *d = data;

    CHECK(offset < CODE_SIZE);
    CHECK(d >= bench.platform.data && d <= bench.platform.data + DATA_SIZE);
    CHECK(bench.synced > offset);
    bench.calls++;
    bench.last_limit = limit;
    call->start = (cf_moment)bench.now;
    bench.now += 10 + bench.calls % 3;

    uint8_t program = bench.platform.code_write[offset];
    const int counts = bench_has_words(d, 5);
    const uint32_t turns = counts ? load32(d + 16) + 1 : 0;
    if (program == PROGRAM_TURNS && turns == 3) {
        program = CF_FAULT_MEMORY;
    }
    if (program == PROGRAM_SLOW) {
        bench.now += bench.slow;
    }
    if (program == PROGRAM_STICKY && counts) {
        cf_store32(d, 3);
    }
    call->end = (cf_moment)bench.now;
    memset(&call->fault, 0, sizeof call->fault);
    if ((program >= PROGRAM_FAULT && program <= CF_FAULT_OTHER) || program == PROGRAM_OUTSIDE) {
        call->fault.kind = program == PROGRAM_OUTSIDE ? CF_FAULT_MEMORY : program;
        call->fault.cause = 77;
        call->fault.pc = program == PROGRAM_OUTSIDE ? bench.outside : entry;
        call->fault.address = 0x1234;
        return (int)call->fault.kind;
    }
    if (counts) {
        cf_store32(d + 16, turns);
    }
    return 0;
}

void cf_hal_loop_start(struct cf_loop *l) {
    CHECK(l == bench.platform.loop && !bench.ticking);
    CHECK(bench_near(l->due) > bench.now);
    bench.ticking = 1;
    bench.next_tick = bench_near(l->due);
}

void cf_hal_loop_stop(void) {
    bench.ticking = 0;
    bench.next_tick = UINT64_MAX;
}

int cf_hal_loop_call(uintptr_t entry, void *data, cf_number limit, struct cf_call *call) {
    CHECK(bench.ticking);
    if (bench.task == NULL) {
        return cf_hal_call(entry, data, limit, call);
    }
    bench.calls++;
    bench.last_limit = limit;
    call->start = (cf_moment)bench.now;
    bench.now += bench.cost < limit ? bench.cost : limit;
    call->end = (cf_moment)bench.now;
    uint32_t kind = bench.task((uint32_t)(entry - bench.platform.code_exec), data);
    if (bench.cost > limit) {
        kind = CF_FAULT_TIME_LIMIT;
    }
    if (kind != 0) {
        call->fault = (struct cf_fault){kind, 77, entry, 0x1234};
    }
    return (int)kind;
}

int cf_hal_loop_check(struct cf_fault *fault) {
    const uint32_t kind = bench.lost.kind;

    CHECK(bench.ticking);
    *fault = bench.lost;
    bench.lost.kind = 0;
    return (int)kind;
}

/* The bytes of a register; it is in a window as a whole, and aligned. */
static uint8_t *reach(uint32_t address, uint32_t width) {
    uint32_t at = 0;

    CHECK(width <= 2 && address % (1u << width) == 0);
    bench.accesses++;
    for (const struct cf_pin_window *w = windows.window;; w++) {
        CHECK(w->length != 0);
        if (address - w->address < w->length) {
            at += address - w->address;
            CHECK(w->length - (address - w->address) >= 1u << width);
            return bench.registers + at;
        }
        at += w->length;
    }
}

uint32_t cf_hal_register_read(uint32_t address, uint32_t width) {
    uint32_t value = 0;
    const uint8_t *bytes = reach(address, width);

    if (address >= COUNTER_AT) {
        uint8_t *counter = bench.registers + REGISTERS - COUNTER_LENGTH;
        cf_store32(counter, load32(counter) + 1);
    }
    memcpy(&value, bytes, (size_t)1 << width);
    return value;
}

void cf_hal_register_write(uint32_t address, uint32_t width, uint32_t value) {
    memcpy(reach(address, width), &value, (size_t)1 << width);
}

int32_t cf_hal_watchdog(uint32_t ms) {
    return bench.watchdog != CF_OK ? bench.watchdog : (int32_t)ms * 2;
}

uint32_t cf_hal_guard(void) {
    return 3;
}

void bench_tick(uint32_t late) {
    CHECK(bench.ticking && bench.next_tick != UINT64_MAX);
    if (bench.now < bench.next_tick) {
        bench.now = bench.next_tick;
    }
    bench.now += late;
    cf_loop_tick(bench.platform.loop, (cf_moment)bench.now);
    bench.next_tick = cf_loop_goes_on(bench.platform.loop) ? bench_near(bench.platform.loop->due) : UINT64_MAX;
}

int cf_hal_set_baud(uint32_t baud) {
    if (bench.baud_refused) {
        return -1;
    }
    bench.baud = baud;
    return 0;
}

uint32_t cf_hal_timer_hz(void) {
    return bench.timer_hz;
}

const struct cf_fault *cf_hal_boot_fault(void) {
    return bench.boot_fault;
}

uint32_t cf_hal_overruns(void) {
    return 5;
}

uint32_t cf_hal_nonce(void) {
    return bench.nonce;
}

uint32_t cf_hal_conditions(void) {
    return bench.conditions;
}

uint32_t frame(uint8_t *out, uint8_t kind, uint8_t version, uint16_t session, uint16_t seq, const uint8_t *body, uint32_t length) {
    uint8_t packet[CF_MAX_PACKET_LENGTH + CF_HEADER_LENGTH + CF_TRAILER_LENGTH]; /* no zeros: they cost fuzzing a quarter */
    uint32_t n = CF_HEADER_LENGTH + length;
    uint32_t code = 0; /* where the current block's code goes */
    uint32_t at = 1;

    packet[0] = kind;
    packet[1] = version;
    store16(packet + 2, session);
    store16(packet + 4, seq);
    store16(packet + 6, 0);
    memcpy(packet + CF_HEADER_LENGTH, body, length);
    cf_store32(packet + n, cf_crc32c(packet, n));
    n += CF_TRAILER_LENGTH;
    for (uint32_t i = 0; i < n; i++) {
        if (packet[i] != 0) {
            out[at++] = packet[i];
        }
        if (packet[i] == 0 || at - code == 255) {
            out[code] = (uint8_t)(at - code);
            code = at++;
        }
    }
    out[code] = (uint8_t)(at - code);
    out[at++] = 0;
    return at;
}

uint32_t sent(uint32_t *at, uint8_t packet[CF_MAX_PACKET_LENGTH]) {
    struct cf_decoder d = {.packet = packet, .capacity = CF_MAX_PACKET_LENGTH};
    const uint8_t *p = bench.tx + *at;

    if (*at == bench.tx_length) {
        return 0;
    }
    CHECK_EQUAL(cf_decoder_feed(&d, &p, bench.tx + bench.tx_length), CF_FEED_PACKET);
    *at = (uint32_t)(p - bench.tx);
    return d.length;
}
