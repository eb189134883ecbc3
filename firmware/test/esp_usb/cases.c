/* drivers/esp_usb_serial.c on FIFOs that are variables, with hosts that fetch late, or not at all. */
#include <string.h>

#include "drivers/uart.h"
#include "hal/hal.h"
#include "test/check.h"

#define BASE 0x60043000u
#define MOST 64u

static struct {
    uint64_t time;     /* ms */
    uint32_t patience; /* looks that the host takes to fetch a packet, at most; 0: it does not */
    uint32_t left;
    bool waits; /* a packet, for the host */
    uint8_t in[MOST];
    uint32_t in_bytes;
    uint8_t out[MOST]; /* from the host */
    uint32_t out_bytes, out_taken;
    bool received, enabled;
} device;

static uint8_t fetched[1u << 20];
static uint32_t fetched_bytes;

static uint32_t chance(uint32_t below) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

cf_moment cf_hal_ticks(void) {
    return device.time++;
}

uint32_t cf_hal_timer_hz(void) {
    return 1000;
}

static void fetch(void) {
    CHECK(device.in_bytes > 0 && device.in_bytes < MOST); /* one of 64 bytes is a part of something longer */
    memcpy(fetched + fetched_bytes, device.in, device.in_bytes);
    fetched_bytes += device.in_bytes;
    device.in_bytes = 0;
    device.waits = false;
}

/* What the host sends next, if there is room for it: 1 to 64 bytes that count up. */
static uint8_t sent;

static void arrive(void) {
    if (device.out_taken < device.out_bytes) {
        return;
    }
    device.out_taken = 0;
    device.out_bytes = 1 + chance(MOST);
    for (uint32_t i = 0; i < device.out_bytes; i++) {
        device.out[i] = sent++;
    }
    device.received = true;
}

static bool arrivals; /* between any two accesses */

uint32_t cf_mmio_read(uintptr_t address) {
    if (arrivals && chance(3) == 0) {
        arrive();
    }
    if (address == BASE) {
        CHECK(device.out_taken < device.out_bytes);
        return device.out[device.out_taken++];
    }
    CHECK(address == BASE + 4);
    if (device.waits && device.patience > 0 && device.left-- == 0) {
        fetch();
    }
    return (device.waits ? 0 : 2u) | (device.out_taken < device.out_bytes ? 4u : 0);
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    if (address == BASE) {
        CHECK(!device.waits && device.in_bytes < MOST && value < 256);
        device.in[device.in_bytes++] = (uint8_t)value;
        CHECK(device.in_bytes < MOST);
    } else if (address == BASE + 4) {
        CHECK(value == 1 && !device.waits && device.in_bytes > 0);
        device.waits = true;
        device.left = device.patience > 0 ? chance(device.patience) : 0;
    } else if (address == BASE + 0x10) {
        device.enabled = value == 4;
    } else {
        CHECK(address == BASE + 0x14 && value == 4);
        device.received = false;
    }
}

uint8_t cf_mmio_read8(uintptr_t address);
uint8_t cf_mmio_read8(uintptr_t address) {
    (void)address;
    CHECK(false);
}

void cf_mmio_write8(uintptr_t address, uint8_t value);
void cf_mmio_write8(uintptr_t address, uint8_t value) {
    (void)address;
    (void)value;
    CHECK(false);
}

static const struct cf_uart_driver *const driver = &cf_esp_usb_serial;

/* A frame: its bytes say which one it is, none is 0, and 0 ends it. */
static uint32_t frame(uint8_t *bytes, uint32_t number, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)(1 + (number + i * 7) % 255);
    }
    bytes[length] = 0;
    return length + 1;
}

static void send(uint32_t number, uint32_t length) {
    uint8_t bytes[1024];
    const uint32_t all = frame(bytes, number, length);
    for (uint32_t at = 0; at < all;) { /* in pieces */
        const uint32_t piece = 1 + chance(all - at);
        driver->send(BASE, bytes + at, piece);
        at += piece;
    }
}

static uint32_t length_of(uint32_t number) {
    static const uint32_t edges[] = {1, 61, 62, 63, 64, 125, 126, 127, 188, 189};
    return number % 3 == 0 ? edges[number / 3 % 10] : 1 + number * 37 % 600;
}

/* Everything arrives, and the end of a frame without another one behind it. */
static void check_whole(void) {
    uint32_t want = 0;
    uint8_t bytes[1024];

    device.patience = 4; /* all packets of a frame within 50 ms */
    for (uint32_t number = 0; number < 500; number++) {
        const uint32_t all = frame(bytes, number, length_of(number));
        send(number, length_of(number));
        driver->flush(BASE);
        CHECK(fetched_bytes == want + all && memcmp(fetched + want, bytes, all) == 0);
        want += all;
    }
}

/* A host falls silent in the middle, and comes back: what it gets then are whole frames, and the one that was cut off has an end. */
static void check_silence(void) {
    uint8_t bytes[1024];

    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t cut = round * 3, lost = cut + 1, next = cut + 2;
        device.patience = 4; /* all packets of a frame within 50 ms */
        driver->flush(BASE);
        CHECK(!device.waits);
        fetched_bytes = 0;
        device.patience = 0;
        const uint64_t before = device.time;
        send(cut, 200 + chance(400));
        CHECK(device.time - before < 60 + 8 * 600); /* waits once */
        const uint64_t deaf = device.time;
        send(lost, length_of(lost));
        CHECK(device.time - deaf <= 2u * (length_of(lost) + 1u)); /* and not again */
        CHECK(fetched_bytes == 0);
        fetch();
        device.patience = 4; /* all packets of a frame within 50 ms */
        send(next, length_of(next));
        driver->flush(BASE);
        const uint32_t all = frame(bytes, next, length_of(next));
        CHECK(fetched_bytes > all && memcmp(fetched + fetched_bytes - all, bytes, all) == 0);
        CHECK(fetched[fetched_bytes - all - 1] == 0);
        const uint32_t begun = frame(bytes, cut, fetched_bytes - all - 1);
        CHECK(memcmp(fetched, bytes, begun) == 0); /* what it was, up to there */
    }
}

static volatile uint8_t queue[256];

/* The handler runs while the flag is there: nothing stays behind, whenever it comes, and no run takes more than some bytes. */
static void check_receiving(void) {
    struct cf_ring ring = {.bytes = queue, .size = sizeof queue};
    uint8_t want, bytes[sizeof queue];
    uint32_t taken = 0;

    arrive();
    device.received = false; /* by somebody before */
    CHECK(driver->start(BASE, 0, 9600) && device.enabled && device.out_taken == device.out_bytes);
    want = sent;
    arrive();
    CHECK(driver->start(BASE, 0, 9600) && device.out_taken == 0 && device.received); /* another rate takes nothing away */
    for (uint32_t i = 0; i < 20000; i++) {
        arrivals = i < 19000;
        if (arrivals && chance(4) == 0) {
            arrive();
        }
        if (device.received) {
            const uint32_t head = ring.head;
            CHECK(driver->interrupt(BASE, &ring) == 0);
            CHECK(ring.head - head <= CF_UART_BATCH);
        } else {
            CHECK(device.out_taken == device.out_bytes);
        }
        const uint32_t n = cf_ring_take(&ring, bytes, sizeof bytes);
        for (uint32_t k = 0; k < n; k++) {
            CHECK(bytes[k] == want++);
        }
        taken += n;
    }
    CHECK(want == sent && taken > 100000);
    uint32_t lost = 0;
    arrivals = true;
    while (ring.head - ring.tail < sizeof queue || lost < 100) { /* nobody takes them */
        lost += driver->interrupt(BASE, &ring);
    }
}

int main(void) {
    check_whole();
    check_silence();
    check_receiving();
    return 0;
}
