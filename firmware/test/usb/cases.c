/* The line over USB, and the choice between it and the UART, case by case. */
#include "test/usb/bench.h"

static void start(void) {
    memset(&bench, 0, sizeof bench);
    bench.masked = true;
    const struct cf_rates rates = cf_chip_init();
    CHECK(cf_chip.uart->start(cf_chip.uart_base, rates.uart_hz, 115200));
    cf_arch_irq_unmask();
    bench.uart_starts = 0;
}

/* UART_IRQ is what start-up code lets through beside USB's. A device is to be seen. Whatever state the chip was in: it comes up again. */
static void test_start(void) {
    start();
    CHECK(controller_shown() && chip_clocks_usb());
    CHECK(cf_chip.uart_irq == UART_IRQ);
    enumerate();
    start();
    CHECK(controller_shown());
    enumerate();
}

static int descriptor(uint32_t kind, uint32_t index, uint32_t length, uint8_t *data) {
    return asks(SETUP(0x80, 6, kind << 8 | index, kind == 3 ? 0x409 : 0, length), data);
}

static void check_string(uint32_t index, const char *want) {
    uint8_t s[256 + 64];
    const int n = descriptor(3, index, 255, s);
    CHECK(n == s[0] && n == 2 + 2 * (int)strlen(want) && s[1] == 3);
    for (uint32_t i = 0; want[i] != 0; i++) {
        CHECK(s[2 + 2 * i] == (uint8_t)want[i] && s[3 + 2 * i] == 0);
    }
}

static void test_descriptors(void) {
    uint8_t d[512];
    enumerate();
    CHECK(descriptor(1, 0, 64, d) == 18 && d[0] == 18 && d[1] == 1 && d[4] == 0xef && d[7] == 16 && d[17] == 1);
    CHECK(d[8] == 0x8a && d[9] == 0x2e && (d[10] | d[11] << 8) == cf_usb_product);
    for (uint32_t i = 14; i < 17; i++) {
        CHECK(d[i] != 0);
    }
    check_string(d[14], "Copaflash");
    check_string(d[15], "Copaflash bench"); /* 32 bytes: two full packets, and an empty one */
    check_string(d[16], "E66038B7135A2F01");
    CHECK(descriptor(3, 0, 255, d) == 4 && d[2] == 0x09 && d[3] == 0x04);
    const int all = descriptor(2, 0, 9, d) == 9 ? d[2] | d[3] << 8 : 0;
    CHECK(descriptor(2, 0, 512, d) == all && d[4] == 2 && d[5] == 1);
    uint32_t interfaces = 0, endpoints = 0;
    int at = 0;
    for (; at < all; at += d[at]) { /* one behind the other */
        CHECK(d[at] >= 2 && at + d[at] <= all);
        interfaces += d[at + 1] == 4;
        endpoints += d[at + 1] == 5;
        CHECK(d[at + 1] != 5 || (d[at] == 7 && (d[at + 3] == 2 ? d[at + 4] == 64 : d[at + 3] == 3)));
    }
    CHECK(at == all && interfaces == 2 && endpoints == 3);
}

/* As much as is asked for, and no more, however that falls into packets. */
static void test_lengths(void) {
    uint8_t d[70000], want[128];
    enumerate();
    const int all = descriptor(2, 0, 128, want);
    for (uint32_t length = 0; length < 140; length++) {
        const int n = descriptor(2, 0, length, d);
        CHECK(n == ((int)length < all ? (int)length : all) && memcmp(d, want, (size_t)n) == 0);
    }
    CHECK(descriptor(2, 0, 65535, d) == all);
    for (uint32_t length = 0; length < 40; length++) {
        CHECK(descriptor(3, 2, length, d) == (length < 32 ? (int)length : 32));
    }
}

/* A host may have enough before the end, by an empty packet or by the next request. */
static void test_early_end(void) {
    uint8_t d[64], s[128];
    enumerate();
    CHECK(host_sets_up(SETUP(0x80, 6, 0x200, 0, 75)) == 0 && host_gets(0, d) == 16);
    CHECK(host_puts(0, NULL, 0) == 0 && host_gets(0, d) == NAK);
    CHECK(host_sets_up(SETUP(0x80, 6, 0x200, 0, 75)) == 0 && host_gets(0, d) == 16);
    CHECK(descriptor(1, 0, 18, s) == 18);
    CHECK(host_sets_up(SETUP(0x21, 0x20, 0, 0, 7)) == 0); /* and no data */
    CHECK(descriptor(1, 0, 18, s) == 18);
}

static void test_address(void) {
    uint8_t d[64];
    host_resets_bus();
    CHECK(host_sets_up(SETUP(0, 5, 99, 0, 0)) == 0);
    host.address = 99;
    CHECK(host_gets(0, d) == NOTHING); /* not before its end */
    host.address = 0;
    CHECK(host_gets(0, d) == 0 && host_gets(0, d) == NOTHING);
    host.address = 99;
    CHECK(descriptor(1, 0, 18, d) == 18);
    CHECK(tells(SETUP(0, 5, 128, 0, 0), NULL, 0) == STALLED && tells(SETUP(0, 5, 0x105, 0, 0), NULL, 0) == STALLED);
    address(0);
    CHECK(descriptor(1, 0, 18, d) == 18);
    host_resets_bus();
    CHECK(descriptor(1, 0, 18, d) == 18);
}

/* What USB 2.0 and CDC ask for, right and wrong: what it has to say in the end is in `want`. */
static void test_requests(void) {
    static const struct {
        uint8_t type, request;
        uint16_t value, index, length;
        int before, after; /* what comes of it, in the states that an address and a configuration make */
        uint8_t want;
    } rows[] = {
        {0x80, 0, 0, 0, 2, 2, 2, 0},           {0x81, 0, 0, 0, 2, STALLED, 2, 0},     {0x81, 0, 0, 1, 2, STALLED, 2, 0},
        {0x81, 0, 0, 2, 2, STALLED, STALLED, 0}, {0x82, 0, 0, 0, 2, 2, 2, 0},         {0x82, 0, 0, 0x80, 2, 2, 2, 0},
        {0x82, 0, 0, 0x81, 2, STALLED, 2, 0},  {0x82, 0, 0, 0x02, 2, STALLED, 2, 0},  {0x82, 0, 0, 0x82, 2, STALLED, 2, 0},
        {0x82, 0, 0, 0x01, 2, STALLED, STALLED, 0}, {0x82, 0, 0, 0x83, 2, STALLED, STALLED, 0}, {0x82, 0, 0, 0x180, 2, STALLED, STALLED, 0},
        {0x80, 8, 0, 0, 1, 1, 1, 1},           {0x81, 10, 0, 1, 1, STALLED, 1, 0},    {0x81, 10, 0, 2, 1, STALLED, STALLED, 0},
        {0x01, 11, 0, 1, 0, STALLED, 0, 0},    {0x01, 11, 1, 1, 0, STALLED, STALLED, 0}, {0x01, 11, 0, 5, 0, STALLED, STALLED, 0},
        {0x00, 9, 2, 0, 0, STALLED, STALLED, 0}, {0x00, 9, 0x101, 0, 0, STALLED, STALLED, 0}, {0x00, 3, 1, 0, 0, STALLED, STALLED, 0},
        {0x00, 3, 2, 0x100, 0, STALLED, STALLED, 0}, {0x02, 3, 1, 0x82, 0, STALLED, STALLED, 0}, {0x02, 3, 0, 0x83, 0, STALLED, STALLED, 0},
        {0x02, 1, 0, 0, 0, 0, 0, 0},           {0x80, 6, 0x600, 0, 10, STALLED, STALLED, 0}, {0x80, 6, 0x304, 0x409, 255, STALLED, STALLED, 0},
        {0x80, 6, 0x101, 0, 18, STALLED, STALLED, 0}, {0x80, 6, 0x201, 0, 9, STALLED, STALLED, 0}, {0x80, 6, 0xf00, 0, 5, STALLED, STALLED, 0},
        {0x80, 6, 0, 0, 5, STALLED, STALLED, 0}, {0xc0, 6, 0x100, 0, 18, STALLED, STALLED, 0}, {0xa1, 0x21, 0, 0, 7, STALLED, 7, 0},
        {0xa1, 0x21, 0, 1, 7, STALLED, STALLED, 0}, {0x21, 0x22, 0, 1, 0, STALLED, STALLED, 0}, {0x21, 0x23, 100, 0, 0, STALLED, STALLED, 0},
    };
    uint8_t d[256];
    for (uint32_t configured = 0; configured < 2; configured++) {
        for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const uint8_t *const setup = SETUP(rows[i].type, rows[i].request, rows[i].value, rows[i].index, rows[i].length);
            enumerate();
            configures(configured);
            const int want = configured ? rows[i].after : rows[i].before;
            const int is = (rows[i].type & 0x80) != 0 ? asks(setup, d) : tells(setup, NULL, 0);
            if (is != want || (is == 1 && d[0] != (configured ? rows[i].want : 0))) {
                fprintf(stderr, "row %u, configured %u: %d, want %d\n", i, configured, is, want);
                exit(1);
            }
        }
    }
    enumerate();
    for (uint32_t length = 0; length < 300; length++) { /* of coding; what it asks for it gets */
        const uint8_t *const setup = SETUP(0x21, 0x20, 0, 0, length);
        memset(d, (int)length, 64);
        CHECK(length == 7 ? tells(setup, d, 7) == 0 : tells(setup, d, length < 16 ? length : 16) == STALLED);
    }
    for (uint32_t n = 0; n < 7; n++) { /* less than it has announced */
        CHECK(host_sets_up(SETUP(0x21, 0x20, 0, 0, 7)) == 0 && host_puts(0, d, n) == (int)n && host_gets(0, d) == STALLED);
    }
    CHECK(asks(SETUP(0xa1, 0x21, 0, 0, 7), d) == 7 && d[0] == 7 && d[6] == 7);
}

/* USB is the line from here on. */
static void use_usb(void) {
    uint8_t h[64], heard[256];
    enumerate();
    const uint32_t n = hello(h), got = usb_brings(h, n, 64, heard, sizeof heard);
    CHECK(got == n + 1 || got == n);
    fetched_count = short_packets = 0;
}

static void test_halt(void) {
    uint8_t d[64], heard[256];
    use_usb();
    for (uint32_t round = 0; round < 4; round++) {
        CHECK(host_puts(2, (const uint8_t *)"ab", 2) == 2); /* it is there for the core yet */
        CHECK(tells(SETUP(2, 3, 0, 0x02, 0), NULL, 0) == 0 && tells(SETUP(2, 3, 0, 0x82, 0), NULL, 0) == 0);
        CHECK(host_puts(2, d, 1) == STALLED && host_gets(2, d) == STALLED);
        CHECK(asks(SETUP(0x82, 0, 0, 0x82, 2), d) == 2 && d[0] == 1);
        (void)hears(heard, sizeof heard);
        CHECK(host_puts(2, d, 1) == STALLED);
        CHECK(tells(SETUP(2, 1, 0, 0x02, 0), NULL, 0) == 0 && tells(SETUP(2, 1, 0, 0x82, 0), NULL, 0) == 0);
        host.toggle[0][2] = host.toggle[1][2] = 0;
        CHECK(asks(SETUP(0x82, 0, 0, 0x82, 2), d) == 2 && d[0] == 0);
        CHECK(host_puts(2, (const uint8_t *)"\0", 1) == 1 && host_gets(2, d) == NAK);
        for (uint32_t i = 0; i <= round; i++) {
            cf_hal_tx((const uint8_t *)"", 1);
            CHECK(host_gets(2, d) == 1);
        }
        (void)hears(heard, sizeof heard);
        CHECK(host_puts(2, (const uint8_t *)"\0", 1) == 1);
        (void)hears(heard, sizeof heard);
        CHECK(tells(SETUP(2, 1, 0, 0x02, 0), NULL, 0) == 0); /* without having been halted */
        host.toggle[0][2] = 0;
        CHECK(host_puts(2, (const uint8_t *)"\0", 1) == 1);
        (void)hears(heard, sizeof heard);
    }
    uint8_t h[64];
    const uint32_t n = hello(h);
    uart_brings(h, n);
    CHECK(hears(heard, sizeof heard) == n + 1);
}

/* The last HELLO says which line it is. Whatever else the other one brings the core does not hear. */
static void test_lines(void) {
    uint8_t h[64], other[512], heard[2048];
    const uint32_t n = hello(h);
    static const uint8_t filler[200] = {1, 2, 3};
    start();
    enumerate();
    CHECK(!cf_chip.waits());
    uart_brings(h, n);
    CHECK(hears(heard, sizeof heard) == n && memcmp(heard, h, n) == 0);
    const uint32_t wrong[][3] = {{CF_KIND_RSP, 0, 0}, {CF_KIND_REQ, 1, 0}, {CF_KIND_REQ, 0, 1}, {CF_KIND_ACK, 0, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t m = frame_of(other, (uint8_t)wrong[i][0], (uint16_t)wrong[i][1], (uint16_t)wrong[i][2], body, sizeof body);
        CHECK(usb_brings(other, m, 64, heard, sizeof heard) == 0);
    }
    const uint32_t m = frame_of(other, CF_KIND_REQ, 0, 0, filler, sizeof filler); /* too long for a HELLO */
    CHECK(usb_brings(other, m, 64, heard, sizeof heard) == 0);
    for (uint32_t bit = 0; bit < 8 * (n - 1); bit++) { /* a bit of it is wrong */
        memcpy(other, h, n);
        other[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(usb_brings(other, n, 1 + bit % 64, heard, sizeof heard) == 0);
    }
    for (uint32_t i = 0; i < 6; i++) {
        /* What the UART has begun is no frame any more, and what it goes on with is not heard. */
        uart_brings((const uint8_t *)"xyz", 3);
        CHECK(hears(heard, sizeof heard) == 3);
        CHECK(usb_brings(h, n, 5, heard, sizeof heard) == n + 1 && heard[0] == 0 && memcmp(heard + 1, h, n) == 0);
        CHECK(bench.uart_starts == i + 1 && bench.uart_baud == 115200);
        uart_brings((const uint8_t *)"uvw\0abc\0", 8);
        CHECK(usb_brings(h, n, 64, heard, sizeof heard) == n);
        cf_hal_tx((const uint8_t *)"usb", 4);
        fetched_count = 0;
        fetch();
        CHECK(fetched_count == 4 && bench.sent_count == i * 5 && memcmp(fetched, "usb", 4) == 0);
        CHECK(cf_chip.uart->start(cf_chip.uart_base, 48000000, 921600) && bench.uart_starts == i + 1); /* which USB has not */
        uart_brings(h, n);
        CHECK(hears(heard, sizeof heard) == n + 1 && memcmp(heard + 1, h, n) == 0);
        cf_hal_tx((const uint8_t *)"uart", 5);
        fetch();
        CHECK(fetched_count == 4 && bench.sent_count == (i + 1) * 5 && !cf_chip.waits());
    }
}

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * n >> 32);
}

/* Every byte of both ways, in packets of any size. A host with more to send than the core takes has to wait. */
static void test_bytes(void) {
    uint8_t data[1200], heard[2048];
    use_usb();
    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t n = 1 + random_below(sizeof data);
        for (uint32_t i = 0; i < n; i++) {
            data[i] = (uint8_t)random_below(256);
        }
        CHECK(usb_brings(data, n, 1 + random_below(64), heard, sizeof heard) == n && memcmp(heard, data, n) == 0);
    }
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 10; i++) {
        taken += host_puts(2, data, 64) == 64;
    }
    CHECK(taken == 1 && cf_chip.waits());
    CHECK(hears(heard, sizeof heard) == 64 && !cf_chip.waits());
    bench.meanwhile = fetch;
    for (uint32_t n = 1; n < 700; n++) { /* frames, whose last packet is never full */
        for (uint32_t i = 0; i < n; i++) {
            data[i] = (uint8_t)(1 + random_below(255));
        }
        data[n - 1] = 0;
        fetched_count = short_packets = 0;
        for (uint32_t at = 0; at < n;) {
            const uint32_t left = n - at, piece = 1 + random_below(left < 254 ? left : 254);
            cf_hal_tx(data + at, piece);
            at += piece;
        }
        fetch();
        CHECK(fetched_count == n && memcmp(fetched, data, n) == 0 && short_packets == 1);
    }
}

/* A host that does not fetch is waited for once, for 50 ms; then it is as if there were none, until it fetches again. */
static void test_deaf(void) {
    uint8_t frame[300];
    use_usb();
    memset(frame, 7, sizeof frame);
    frame[299] = 0;
    bench.meanwhile = NULL;
    cf_moment before = bench.time;
    cf_hal_tx(frame, 254);
    CHECK(bench.time - before >= CLOCK_HZ / 20 && bench.time - before < CLOCK_HZ / 15); /* two thirds of 100 ms of a watchdog */
    before = bench.time;
    for (uint32_t i = 0; i < 20; i++) {
        cf_hal_tx(frame + 254, 46);
        cf_hal_tx(frame, 254);
    }
    cf_hal_tx(frame + 254, 46);
    CHECK(bench.time - before < CLOCK_HZ / 1000);
    bench.meanwhile = fetch;
    fetch();
    CHECK(fetched_count == 64); /* the first packet has been there all the time */
    cf_hal_tx((const uint8_t *)"next", 5);
    fetch();
    CHECK(fetched_count == 64 + 1 + 5 && memcmp(fetched + 64, "\0next", 6) == 0); /* behind the end of what was lost */
}

/* Nothing is sent to where nobody is, and nobody is waited for. */
static void test_gone(void) {
    uint8_t frame[254] = {1, 2, 3};
    use_usb();
    cf_hal_tx(frame, 100);
    host_resets_bus();
    const cf_moment before = bench.time;
    for (uint32_t i = 0; i < 10; i++) {
        cf_hal_tx(frame, 254);
    }
    CHECK(bench.time - before < CLOCK_HZ / 1000);
    use_usb();
    bench.meanwhile = fetch;
    cf_hal_tx((const uint8_t *)"\0again", 7);
    fetch();
    CHECK(fetched_count >= 7 && memcmp(fetched + fetched_count - 7, "\0again", 7) == 0);
    bench.meanwhile = NULL;
    configures(0);
    CHECK(host_puts(2, frame, 1) == NOTHING && host_gets(2, fetched) == NOTHING);
}

/* DTR that goes at 1200 baud, and nothing else, is the wish for the boot loader; not in a loop. */
static void test_touch(void) {
    uint8_t heard[64];
    static const uint32_t others[] = {0, 1199, 1201, 9600, 115200, 1200 + 65536, 1200 << 8};
    enumerate();
    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        coding(others[i]);
        ready(true);
        ready(false);
    }
    coding(1200);
    ready(false);
    ready(true);
    (void)hears(heard, sizeof heard);
    CHECK(bench.loader == 0);
    coding(9600);
    ready(false);
    coding(1200);
    (void)hears(heard, sizeof heard);
    CHECK(bench.loader == 0 && !cf_chip.waits());
    ready(true);
    ready(false);
    CHECK(cf_chip.waits()); /* the link does not sleep over it */
    (void)hears(heard, sizeof heard);
    CHECK(bench.loader == 1);
    loop.period = 1000;
    for (uint32_t end = 0; end < 2; end++) {
        loop.count[CF_LOOP_END] = end;
        ready(true);
        ready(false);
        (void)hears(heard, sizeof heard);
        CHECK(bench.loader == 1 + end && !cf_chip.waits());
    }
    loop.period = 0;
    loop.count[CF_LOOP_END] = 0;
}

/* All kinds of requests with anything in them, and anything done to the endpoints: the device answers the next proper host. */
static void test_hostile(void) {
    uint8_t d[70000];
    for (uint32_t round = 0; round < 200000; round++) {
        uint8_t setup[8], data[64];
        if (round % 64 == 0) {
            enumerate();
        }
        for (uint32_t i = 0; i < 64; i++) {
            data[i] = (uint8_t)random_below(256);
        }
        memcpy(setup, data, 8);
        if (round % 3 != 0) { /* near what there is */
            static const uint8_t types[] = {0x80, 0x00, 0x81, 0x01, 0x82, 0x02, 0x21, 0xa1};
            setup[0] = types[random_below(8)];
            setup[1] = (uint8_t)(random_below(2) ? random_below(12) : 0x20 + random_below(4));
            setup[3] = (uint8_t)random_below(4);
            setup[5] = setup[7] = 0;
        }
        const uint32_t before = host.address;
        (void)host_sets_up(setup);
        for (uint32_t i = random_below(5); i > 0; i--) {
            const uint32_t endpoint = random_below(4);
            int n;
            switch (random_below(5)) {
            case 0:
                n = host_puts(0, data, random_below(17));
                break;
            case 1:
                if (endpoint == 2 && random_below(2)) {
                    n = host_puts(endpoint, data, random_below(65));
                    break;
                }
                n = 0;
                (void)hears(d, sizeof d);
                break;
            case 2:
                n = host_gets(0, d);
                break;
            case 3:
                cf_hal_tx(data, random_below(64));
                n = 0;
                break;
            default:
                if (setup[0] == 0 && setup[1] == 5 && host_gets(0, d) == 0) {
                    host.address = setup[2];
                }
                n = 0;
                break;
            }
            CHECK(n >= NOTHING);
            if (setup[0] == 2 || setup[1] == 9 || setup[1] == 11) { /* data may have started over */
                break;
            }
        }
        if (setup[0] == 0 && setup[1] == 5) {
            host.address = before;
        }
        if (round % 64 == 63 || setup[0] == 0 || setup[0] == 1 || setup[0] == 2) {
            enumerate();
            CHECK(descriptor(1, 0, 18, d) == 18 && d[0] == 18);
        }
    }
    bench.loader = 0;
}

int main(void) {
    chip_power_up();
    test_start();
    test_descriptors();
    test_lengths();
    test_early_end();
    test_address();
    test_requests();
    test_halt();
    test_lines();
    test_bytes();
    test_deaf();
    test_gone();
    test_touch();
    test_hostile();
    start();
    test_touch();
    return 0;
}
