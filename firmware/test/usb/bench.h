/* A runner's two lines, on a model of the chip, and hosts at both of them; for cases.c alone. */
#ifndef CF_TEST_USB_BENCH_H
#define CF_TEST_USB_BENCH_H

#include <setjmp.h>

#include "core/crc32c.h"
#include "core/loop.h"
#include "drivers/rp2_usb.h"
#include "platform/arch.h"
#include "platform/board.h"
#include "platform/chip.h"
#include "test/usb/model.h"

#define CLOCK_HZ 1000000u

static struct {
    bool masked;
    cf_moment time;
    void (*meanwhile)(void); /* what hosts do while the runner waits */
    uint32_t uart_starts, uart_baud;
    uint8_t sent[4096]; /* to the UART */
    uint32_t sent_count;
    uint32_t loader;    /* how often it was called */
} bench;

static struct cf_loop loop;
static uint8_t ring_bytes[1024];
static struct cf_ring ring = {.bytes = ring_bytes, .size = sizeof ring_bytes};

const struct cf_board cf_board = {.crystal_hz = 12000000, .platform.loop = &loop, .platform.about = "bench\ncopaflash 0"};

_Noreturn void refuse(const char *what, uint32_t value) {
    fprintf(stderr, "the datasheet forbids: %s (%#x)\n", what, (unsigned)value);
    abort(); /* a debugger sees who */
}

void cf_arch_irq_mask(void) {
    bench.masked = true;
}

void interrupts(void) {
    for (uint32_t i = 0; controller_raised() && !bench.masked; i++) {
        CHECK(i < 8); /* each is quieted */
        bench.masked = true;
        (void)cf_chip.uart->interrupt(cf_chip.uart_base, &ring);
        bench.masked = false;
    }
}

void cf_arch_irq_unmask(void) {
    CHECK(bench.masked);
    bench.masked = false;
    interrupts();
}

cf_moment cf_hal_ticks(void) {
    CHECK(!bench.masked);
    if (bench.meanwhile != NULL) {
        bench.meanwhile();
    }
    return bench.time += 10;
}

uint32_t cf_hal_timer_hz(void) {
    return CLOCK_HZ;
}

void cf_hal_tx(const uint8_t *src, uint32_t len) {
    cf_chip.uart->send(cf_chip.uart_base, src, len);
}

void cf_rp2_to_loader(void) {
    bench.loader++;
}

static bool uart_start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    CHECK(base == cf_chip.uart_base && clock_hz > 100000000u);
    bench.uart_starts++;
    bench.uart_baud = baud;
    return true;
}

static uint32_t uart_interrupt(uintptr_t base, struct cf_ring *rx) {
    CHECK(base == cf_chip.uart_base && rx == &ring && bench.masked);
    return 0;
}

static void uart_send(uintptr_t base, const uint8_t *src, uint32_t len) {
    CHECK(base == cf_chip.uart_base && bench.sent_count + len <= sizeof bench.sent);
    memcpy(bench.sent + bench.sent_count, src, len);
    bench.sent_count += len;
}

static void uart_flush(uintptr_t base) {
    CHECK(base == cf_chip.uart_base);
}

const struct cf_uart_driver cf_pl011 = {uart_start, uart_interrupt, uart_send, uart_flush};

/* What the UART brings. */
static void uart_brings(const uint8_t *bytes, uint32_t n) {
    while (n-- > 0) {
        CHECK(cf_ring_put(&ring, *bytes++));
    }
}

/* --- Transfers of a host that keeps to the rules. */

#define LOW(n) ((uint8_t)((n) & 0xffu))
#define HIGH(n) ((uint8_t)((uint32_t)(n) >> 8))
#define SETUP(type, request, value, index, length)                                                                     \
    ((const uint8_t[8]){(type), (request), LOW(value), HIGH(value), LOW(index), HIGH(index), LOW(length), HIGH(length)})

/* Asks for data. Returns how many there were, or STALLED or NOTHING. */
static int asks(const uint8_t *setup, uint8_t *data) {
    const int most = setup[6] | setup[7] << 8;
    int n = 0, got;
    if (host_sets_up(setup) != 0) {
        return NOTHING;
    }
    do {
        uint8_t packet[64];
        got = host_gets(0, packet);
        if (got < 0) {
            CHECK(got == STALLED && n == 0);
            return got;
        }
        CHECK(got <= 16 && n + got <= most);
        memcpy(data + n, packet, (size_t)got);
        n += got;
    } while (got == 16 && n < most);
    if (most > 0) {
        CHECK(host_puts(0, NULL, 0) == 0);
    }
    CHECK(host_gets(0, data + n) == NAK && host_puts(0, NULL, 0) == NAK); /* nothing is left */
    return n;
}

/* Sends data, or has something done. Returns 0 or STALLED. */
static int tells(const uint8_t *setup, const uint8_t *data, uint32_t n) {
    uint8_t nothing[64];
    int got;
    if (host_sets_up(setup) != 0) {
        return NOTHING;
    }
    while (n > 0) {
        const uint32_t piece = n < 16 ? n : 16;
        got = host_puts(0, data, piece);
        if (got < 0) {
            return got;
        }
        data += piece;
        n -= piece;
    }
    got = host_gets(0, nothing);
    if (got != 0) {
        CHECK(got == STALLED);
        return got;
    }
    CHECK(host_gets(0, nothing) == NAK && host_puts(0, NULL, 0) == NAK);
    return 0;
}

static void address(uint32_t n) {
    CHECK(host_sets_up(SETUP(0, 5, n, 0, 0)) == 0);
    uint8_t nothing[64];
    CHECK(host_gets(0, nothing) == 0); /* the old one is used up to here */
    host.address = n;
}

static void configures(uint32_t n) {
    CHECK(tells(SETUP(0, 9, n, 0, 0), NULL, 0) == 0);
    for (uint32_t in = 0; in < 2; in++) {
        memset(&host.toggle[in][1], 0, 15 * sizeof host.toggle[in][1]);
    }
}

static void coding(uint32_t baud) {
    const uint8_t bytes[7] = {(uint8_t)baud, (uint8_t)(baud >> 8), (uint8_t)(baud >> 16), (uint8_t)(baud >> 24), 0, 0, 8};
    CHECK(tells(SETUP(0x21, 0x20, 0, 0, 7), bytes, 7) == 0);
}

static void ready(bool on) {
    CHECK(tells(SETUP(0x21, 0x22, on ? 3 : 0, 0, 0), NULL, 0) == 0);
}

static void enumerate(void) {
    host_resets_bus();
    address(17);
    configures(1);
}

/* --- Lines. */

/* Makes a frame of a packet, as core/frame.c does; returns its length. */
static uint32_t frame_of(uint8_t *to, uint8_t kind, uint16_t session, uint16_t seq, const uint8_t *body, uint32_t n) {
    uint8_t p[512] = {kind, 1, (uint8_t)session, (uint8_t)(session >> 8), (uint8_t)seq, (uint8_t)(seq >> 8), 0, 0};
    memcpy(p + 8, body, n);
    n += 8;
    const uint32_t crc = cf_crc32c(p, n);
    for (uint32_t i = 0; i < 4; i++) {
        p[n++] = (uint8_t)(crc >> 8 * i);
    }
    uint32_t code = 0, out = 1;
    for (uint32_t i = 0; i <= n; i++) { /* less than 254 bytes */
        if (i == n || p[i] == 0) {
            to[code] = (uint8_t)(out - code);
            code = out++;
        } else {
            to[out++] = p[i];
        }
    }
    to[out - 1] = 0;
    return out;
}

static const uint8_t body[] = {0xa3, 0, 1, 1, 0x1a, 1, 2, 3, 4, 2, 2};

static uint32_t hello(uint8_t *to) {
    return frame_of(to, CF_KIND_REQ, 0, 0, body, sizeof body);
}

/* All that the core hears. */
static uint32_t hears(uint8_t *to, uint32_t cap) {
    uint32_t n = 0, got, idle = 0;
    while (idle < 3) {
        got = cf_chip.take(&ring, to + n, cap - n < CF_RECEIVE_BATCH ? cap - n : CF_RECEIVE_BATCH);
        n += got;
        idle = got == 0 ? idle + 1 : 0;
    }
    return n;
}

/* What a host sends over USB while the core listens. Returns what that hears. */
static uint32_t usb_brings(const uint8_t *bytes, uint32_t n, uint32_t most, uint8_t *heard, uint32_t cap) {
    uint32_t have = 0;
    while (n > 0) {
        const uint32_t piece = n < most ? n : most;
        const int took = host_puts(2, bytes, piece);
        CHECK(took == (int)piece || took == NAK);
        if (took == NAK) {
            const uint32_t got = hears(heard + have, cap - have);
            have += got;
            continue;
        }
        bytes += piece;
        n -= piece;
    }
    return have + hears(heard + have, cap - have);
}

/* What the host has of what was sent. */
static uint8_t fetched[8192];
static uint32_t fetched_count;
static uint32_t short_packets;

static void fetch(void) {
    for (;;) {
        CHECK(fetched_count + 64 <= sizeof fetched);
        const int n = host_gets(2, fetched + fetched_count);
        if (n < 0) {
            return;
        }
        fetched_count += (uint32_t)n;
        short_packets += n < 64;
    }
}

#endif
