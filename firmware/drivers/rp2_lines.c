/*
 * One runner, two lines. The queues of both are their own: the UART's is the ring, USB's is the controller's memory, so that bytes of
 * one never get between those of the other. The core hears one line; a frame of the other one is kept here until it has
 * ended, and if it is a HELLO the line is changed and the core hears it, between two ends of frames.
 */
#include "core/frame.h"
#include "core/loop.h"
#include "drivers/rp2_usb.h"
#include "platform/arch.h"
#include "platform/board.h"
#include "platform/chip.h"

#if CF_SMALL

#define HELLO_MOST 64u /* bytes of its frame: with the nonce and a version it has 27 */

static struct {
    bool usb;           /* that is the line */
    uint8_t got;        /* bytes of the other one's frame, HELLO_MOST + 1 and more: too many */
    uint8_t told;       /* of those that the core is to hear */
    uint8_t to_tell;
    uint32_t hz, baud;  /* of the UART at the start */
} lines;

CF_BUFFER static uint8_t frame[1u + HELLO_MOST + 1u]; /* the end of another one, the bytes, their end */
CF_BUFFER static uint8_t packet[HELLO_MOST];

CF_USB_CODE static bool start(uintptr_t base, uint32_t clock_hz, uint32_t baud) {
    if (lines.usb) { /* which has none */
        return true;
    }
    if (lines.hz == 0) {
        lines.hz = clock_hz;
        lines.baud = baud;
    }
    return cf_pl011.start(base, clock_hz, baud);
}

static uint32_t interrupt(uintptr_t base, struct cf_ring *rx) {
    cf_rp2_usb_interrupt();
    return cf_pl011.interrupt(base, rx);
}

CF_USB_CODE static void send(uintptr_t base, const uint8_t *src, uint32_t len) {
    if (lines.usb) {
        cf_rp2_usb_send(src, len);
    } else {
        cf_pl011.send(base, src, len);
    }
}

CF_USB_CODE static void flush(uintptr_t base) {
    if (!lines.usb) {
        cf_pl011.flush(base);
    }
}

const struct cf_uart_driver cf_rp2_lines = {start, interrupt, send, flush};

CF_USB_CODE static uint32_t take_from(bool usb, struct cf_ring *rx, uint8_t *dst, uint32_t cap) {
    return usb ? cf_rp2_usb_take(dst, cap) : cf_ring_take(rx, dst, cap);
}

/* Whether the frame that has ended is a request outside of sessions: only HELLO is (SPEC.md, section 3). */
CF_USB_CODE static bool is_hello(void) {
    struct cf_decoder decoder = {.packet = packet, .capacity = sizeof packet};
    const uint8_t *p = frame + 1;
    const struct cf_header *const header = (const struct cf_header *)(const void *)packet;

    return cf_decoder_feed(&decoder, &p, p + lines.got + 1) == CF_FEED_PACKET && header->kind == CF_KIND_REQ && header->session == 0
           && header->seq == 0;
}

/* A host that comes to the UART later finds it at its first rate. */
CF_USB_CODE static void change(void) {
    if (!lines.usb) {
        cf_arch_irq_mask();
        (void)cf_pl011.start(cf_chip.uart_base, lines.hz, lines.baud);
        cf_arch_irq_unmask();
    }
    lines.usb = !lines.usb;
    lines.told = 0;
    lines.to_tell = (uint8_t)(lines.got + 2u);
}

/* Looks at what the other line has brought; at less than a frame and its end a time, or the core would wait for long. */
CF_USB_CODE static void watch(struct cf_ring *rx) {
    uint8_t byte;

    for (uint32_t i = 0; i < HELLO_MOST && take_from(!lines.usb, rx, &byte, 1) != 0; i++) {
        if (byte != 0) {
            if (lines.got < HELLO_MOST) {
                frame[1u + lines.got] = byte;
            }
            lines.got = (uint8_t)(lines.got + (lines.got <= HELLO_MOST));
            continue;
        }
        if (lines.got > 0 && lines.got <= HELLO_MOST) {
            frame[1u + lines.got] = 0;
            if (is_hello()) {
                change();
                i = HELLO_MOST;
            }
        }
        lines.got = 0;
    }
}

/* A program that runs on is not ended by somebody who opens a port: its loop has to be stopped before. */
CF_USB_CODE static void heed_touch(void) {
    const struct cf_loop *const loop = cf_board.platform.loop;

    if (cf_rp2_usb.touched) {
        cf_rp2_usb.touched = false;
        if (loop->period == 0 || !cf_loop_goes_on(loop)) { /* there has been none, or it has ended */
            cf_rp2_to_loader();
        }
    }
}

CF_USB_CODE uint32_t cf_rp2_take(struct cf_ring *rx, uint8_t *dst, uint32_t cap) {
    uint32_t n = 0;

    heed_touch();
    if (lines.told == lines.to_tell) {
        watch(rx);
    }
    while (lines.told < lines.to_tell && n < cap) {
        dst[n++] = frame[lines.told++];
    }
    return n > 0 ? n : take_from(lines.usb, rx, dst, cap);
}

CF_USB_CODE bool cf_rp2_waits(void) {
    return cf_rp2_usb_waits() || lines.told < lines.to_tell || cf_rp2_usb.touched;
}

#endif
