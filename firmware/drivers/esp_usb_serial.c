/*
 * USB Serial/JTAG of the ESP32-C3, a serial port that the chip makes by itself: two FIFOs of 64 bytes, of which that for the host is a
 * packet from WR_DONE on, and takes nothing more until the host has fetched it. Registers: esp-idf,
 * soc/esp32c3/register/soc/usb_serial_jtag_reg.h.
 */
#include "drivers/mmio.h"
#include "drivers/uart.h"
#include "hal/hal.h"

#if !CF_SMALL

enum {
    EP1 = 0x00,
    EP1_CONF = 0x04,
    INT_ENA = 0x10,
    INT_CLR = 0x14,
};

/* Of EP1_CONF. */
#define WR_DONE 1u
#define IN_FREE 2u
#define OUT_AVAILABLE 4u

#define RECEIVED 4u /* a packet */

/* A packet of 64 bytes is taken for a part of something longer, which a host may wait for: so none has as many. */
#define PACKET 63u

#define PATIENCE 20u /* 1/20 s: less than the shortest time of a watchdog */

#define FIFO 64u

static struct {
    bool on;
    uint8_t filled; /* of the packet */
    bool deaf;      /* the host has let one lie: it is not waited for until it fetches it */
    bool loses;     /* bytes up to the end of a frame */
    bool cut;       /* the host has the beginning of one, and is to hear that it has ended */
} line;

static bool available(uintptr_t base) {
    return (cf_mmio_read(base + EP1_CONF) & OUT_AVAILABLE) != 0;
}

/* What came before the runner, to the boot ROM or the runner before it, may be there without its flag: it would never be taken, and
 * no packet would come behind it. */
static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    (void)clock_hz;
    (void)baud;
    for (uint32_t i = 0; !line.on && i < 2u * FIFO && available(base); i++) {
        (void)cf_mmio_read(base + EP1);
    }
    line.on = true;
    cf_mmio_write(base + INT_ENA, RECEIVED);
    return true;
}

/* Nothing is lost before the ring: a host whose packet does not fit waits. The flag is cleared only when nothing is left, and then
 * looked after once more, since it stands for the moment at which a packet comes. */
static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    uint32_t lost = 0;

    for (uint32_t i = 0; i < CF_UART_BATCH; i++) {
        if (!available(base)) {
            cf_mmio_write(base + INT_CLR, RECEIVED);
            if (!available(base)) {
                return lost;
            }
        }
        lost += !cf_ring_put(rx, (uint8_t)cf_mmio_read(base + EP1));
    }
    return lost;
}

static bool is_free(uintptr_t base, cf_moment since) {
    while ((cf_mmio_read(base + EP1_CONF) & IN_FREE) == 0) {
        if (line.deaf || cf_hal_ticks() - since > cf_hal_timer_hz() / PATIENCE) {
            line.deaf = true;
            return false;
        }
    }
    line.deaf = false;
    return true;
}

static void pass_on(uintptr_t base) {
    cf_mmio_write(base + EP1_CONF, WR_DONE);
    line.filled = 0;
}

/* Returns false if the host does not fetch what is there. */
static bool put(uintptr_t base, uint8_t byte, cf_moment since) {
    if (!is_free(base, since)) {
        return false;
    }
    cf_mmio_write(base + EP1, byte);
    if (++line.filled == PACKET) {
        pass_on(base);
    }
    return true;
}

/* What a host does not fetch in time is lost, up to the end of its frame. */
static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    const cf_moment since = cf_hal_ticks();

    for (uint32_t i = 0; i < len; i++) {
        const bool ends = src[i] == 0;
        if (!line.loses && line.cut) {
            line.cut = !put(base, 0, since);
            line.loses = line.cut;
        }
        if (!line.loses && !put(base, src[i], since)) {
            line.loses = true;
            line.cut = true;
        }
        if (ends) {
            line.loses = false;
            if (line.filled > 0) {
                pass_on(base);
            }
        }
    }
}

static void flush(uintptr_t base) {
    (void)is_free(base, cf_hal_ticks());
}

const struct cf_uart_driver cf_esp_usb_serial = {start, interrupt, send, flush};

#endif
