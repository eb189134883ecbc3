/* The controller: buffers in its own memory, which belong to it while their AVAILABLE is set. Sections are those of the RP2040 datasheet. */
#include "drivers/rp2_usb.h"

#include "drivers/mmio.h"
#include "hal/hal.h"
#include "platform/arch.h"

#if CF_SMALL

/* 4.1.3.2: the host's request, then two words for each endpoint and direction: control from endpoint 1 on, and buffer. */
#define MEMORY CF_RP2_USB_MEMORY
#define CONTROL_BYTES 0x100u
#define ENDPOINT_IN(n) (MEMORY + 8u * (n))
#define ENDPOINT_OUT(n) (MEMORY + 8u * (n) + 4u)
#define BUFFER_IN(n) (MEMORY + 0x80u + 8u * (n))
#define BUFFER_OUT(n) (MEMORY + 0x84u + 8u * (n))
#define CONTROL_AT 0x100u /* of endpoint 0, both ways */
#define NOTIFY_AT 0x180u
#define OUT_AT 0x1c0u
#define IN_AT 0x200u /* two, which take turns: one is filled while the other is sent */

#define ENDPOINT_ON (1u << 31)
#define ENDPOINT_EACH (1u << 29)
#define ENDPOINT_BULK (2u << 26)
#define ENDPOINT_INTERRUPT (3u << 26)

#define FULL (1u << 15)
#define DATA1 (1u << 13)
#define STALL (1u << 11)
#define AVAILABLE (1u << 10)
#define LENGTH 0x3ffu

/* 4.1.4 */
#define ADDRESS CF_RP2_USB
#define SIE_STATUS (CF_RP2_USB + 0x50u)
#define SIE_SETUP (1u << 17)
#define SIE_BUS_RESET (1u << 19)
#define BUFF_STATUS (CF_RP2_USB + 0x58u)
#define STALL_ARM (CF_RP2_USB + 0x68u)
#define STALL_BOTH 3u
#define INTS (CF_RP2_USB + 0x98u)
#define DONE_CONTROL_IN 1u
#define DONE_CONTROL_OUT 2u
#define DONE_IN (1u << 4)
#define DONE_OUT (1u << 5)

struct cf_usb cf_rp2_usb;

static struct {
    uint32_t control;     /* DATA1 or 0: of the next packet from endpoint 0 */
    uint32_t in, out;     /* likewise, of the next packet on endpoint 2 */
    volatile bool full;   /* a packet has come */
    volatile bool sends;  /* one is to go */
    bool more;            /* the answer goes on */
    uint8_t taken;        /* bytes of what has come */
    uint8_t held;         /* all of them */
    uint8_t filled;       /* bytes of what is sent next */
    uint8_t side;         /* of the two buffers */
    bool deaf;            /* the host has let a packet lie */
    bool loses;           /* bytes up to the end of a frame */
} line;

/* 4.1.2.5.1: AVAILABLE comes a cycle of 48 MHz after the others at the earliest, four of the processor. */
CF_USB_CODE static void arm(uintptr_t buffer, uint32_t what) {
    cf_mmio_write(buffer, what);
    for (uint32_t i = 0; i < 4u; i++) {
        (void)cf_mmio_read(buffer);
    }
    cf_mmio_write(buffer, what | AVAILABLE);
}

CF_USB_CODE void cf_rp2_usb_clear(void) {
    for (uint32_t at = 0; at < CONTROL_BYTES; at += 4u) {
        cf_mmio_write(MEMORY + at, 0);
    }
}

CF_USB_CODE static void await_bytes(void) {
    arm(BUFFER_OUT(2), CF_USB_BULK | line.out);
    line.out ^= DATA1;
}

CF_USB_CODE static void configure(void) {
    const bool on = cf_rp2_usb.configuration != 0;

    cf_mmio_write(BUFFER_IN(1), 0);
    cf_mmio_write(BUFFER_IN(2), 0);
    cf_mmio_write(BUFFER_OUT(2), 0);
    cf_mmio_write(ENDPOINT_IN(1), on ? ENDPOINT_ON | ENDPOINT_INTERRUPT | NOTIFY_AT : 0);
    cf_mmio_write(ENDPOINT_IN(2), 0); /* with each packet */
    cf_mmio_write(ENDPOINT_OUT(2), on ? ENDPOINT_ON | ENDPOINT_EACH | ENDPOINT_BULK | OUT_AT : 0);
    line.in = line.out = 0;
    line.full = line.sends = false;
    line.taken = line.held = 0;
    if (on) {
        cf_mmio_write(ENDPOINT_IN(2), ENDPOINT_ON | ENDPOINT_EACH | ENDPOINT_BULK | IN_AT);
        await_bytes();
    }
}

/* Stalls an endpoint, or has its data start over; what was under way is lost, but a packet that has come is there to be taken. */
CF_USB_CODE static void halt(void) {
    const uint32_t changed = cf_rp2_usb.changed;
    const uint32_t what = (cf_rp2_usb.halted & changed) != 0 ? STALL : 0;

    if (changed == CF_USB_NOTIFY_IN) {
        cf_mmio_write(BUFFER_IN(1), what);
    } else if (changed == CF_USB_DATA_IN) {
        cf_mmio_write(BUFFER_IN(2), what);
        line.in = 0;
        line.sends = false;
    } else {
        cf_mmio_write(BUFFER_OUT(2), what);
        line.out = 0;
        if (what == 0 && !line.full) {
            await_bytes();
        }
    }
}

/* The next packet of the answer; one that is not full ends it. */
CF_USB_CODE static void answer(void) {
    struct cf_usb *const u = &cf_rp2_usb;
    const uint32_t n = u->left < CF_USB_CONTROL ? u->left : CF_USB_CONTROL;

    for (uint32_t i = 0; i < n; i++) {
        cf_mmio_write8(MEMORY + CONTROL_AT + i, u->answer[i]);
    }
    u->answer += n;
    u->left -= n;
    line.more = n == CF_USB_CONTROL && (u->left != 0 || u->ends);
    arm(BUFFER_IN(0), n | FULL | line.control);
    line.control ^= DATA1;
}

/* Until the next request. */
CF_USB_CODE static void stall(void) {
    cf_mmio_write(STALL_ARM, STALL_BOTH);
    cf_mmio_write(BUFFER_IN(0), STALL);
    cf_mmio_write(BUFFER_OUT(0), STALL);
}

CF_USB_CODE static void on_setup(void) {
    struct cf_usb *const u = &cf_rp2_usb;
    uint8_t setup[CF_USB_SETUP];

    cf_mmio_write(SIE_STATUS, SIE_SETUP); /* one that comes while this is read is seen then */
    for (uint32_t i = 0; i < CF_USB_SETUP; i++) {
        setup[i] = cf_mmio_read8(MEMORY + i);
    }
    cf_mmio_write(BUFFER_IN(0), 0); /* what the request before has left */
    cf_mmio_write(BUFFER_OUT(0), 0);
    line.control = DATA1;
    line.more = false;
    if (!cf_usb_request(u, setup)) {
        stall();
        return;
    }
    if (u->after == CF_USB_CONFIGURED) {
        configure();
    } else if (u->after == CF_USB_HALTS) {
        halt();
    }
    if (u->receives != 0) {
        arm(BUFFER_OUT(0), u->receives | DATA1);
        return;
    }
    if ((u->left != 0 || u->ends) && (setup[0] & 0x80u) != 0) {
        arm(BUFFER_OUT(0), DATA1); /* an empty packet by which the host ends the transfer, also before the answer's end (8.5.3.1 of USB 2.0) */
    }
    answer();
}

CF_USB_CODE static void on_control_out(void) {
    struct cf_usb *const u = &cf_rp2_usb;

    if (u->receives == 0) {
        line.more = false;
        cf_mmio_write(BUFFER_IN(0), 0);
        return;
    }
    const uint32_t n = cf_mmio_read(BUFFER_OUT(0)) & LENGTH;
    for (uint32_t i = 0; i < n && i < CF_USB_CODING; i++) {
        cf_usb_text[i] = cf_mmio_read8(MEMORY + CONTROL_AT + i);
    }
    if (!cf_usb_received(u, n)) {
        stall();
        return;
    }
    answer(); /* nothing: it is done */
}

CF_USB_CODE static void on_buffers(void) {
    const uint32_t all = cf_mmio_read(BUFF_STATUS);
    const uint32_t one = all & (0u - all);

    cf_mmio_write(BUFF_STATUS, one);
    if (one == DONE_CONTROL_IN) {
        if (cf_rp2_usb.address != 0) {
            cf_mmio_write(ADDRESS, cf_rp2_usb.address & ~CF_USB_ADDRESSED);
            cf_rp2_usb.address = 0;
        }
        if (line.more) {
            answer();
        }
    } else if (one == DONE_CONTROL_OUT) {
        on_control_out();
    } else if (one == DONE_IN) {
        line.sends = false;
    } else if (one == DONE_OUT) {
        const uint32_t n = cf_mmio_read(BUFFER_OUT(2)) & LENGTH;
        line.held = (uint8_t)(n < CF_USB_BULK ? n : CF_USB_BULK);
        line.taken = 0;
        line.full = true;
    }
}

/* Buffers come first: a host sends no request before what it belongs to has ended. */
CF_USB_CODE void cf_rp2_usb_interrupt(void) {
    const uint32_t raised = cf_mmio_read(INTS);

    if ((raised & CF_RP2_USB_BUS_RESET) != 0) {
        cf_mmio_write(SIE_STATUS, SIE_BUS_RESET | SIE_SETUP);
        cf_mmio_write(BUFF_STATUS, ~0u);
        cf_mmio_write(ADDRESS, 0);
        cf_mmio_write(BUFFER_IN(0), 0);
        cf_mmio_write(BUFFER_OUT(0), 0);
        line.more = false;
        cf_usb_reset(&cf_rp2_usb);
        configure();
    } else if ((raised & CF_RP2_USB_BUFFERS) != 0) {
        on_buffers();
    } else if ((raised & CF_RP2_USB_SETUP) != 0) {
        on_setup();
    }
}

/* --- By the link. */

CF_USB_CODE bool cf_rp2_usb_waits(void) {
    return line.full;
}

/* A bus reset may come in between: then the bytes are of before, or none. */
CF_USB_CODE uint32_t cf_rp2_usb_take(uint8_t *dst, uint32_t cap) {
    uint32_t n = 0;

    if (!line.full) {
        return 0;
    }
    while (n < cap && line.taken < line.held) {
        dst[n++] = cf_mmio_read8(MEMORY + OUT_AT + line.taken++);
    }
    cf_arch_irq_mask();
    if (line.full && line.taken >= line.held) {
        line.full = false;
        if ((cf_rp2_usb.halted & CF_USB_DATA_OUT) == 0) {
            await_bytes();
        }
    }
    cf_arch_irq_unmask();
    return n;
}

#define PATIENCE 20u /* 1/20 s: less than the shortest time of a watchdog */

/* Whether the next packet can go: at once if the host has let one lie before. */
CF_USB_CODE static bool is_free(cf_moment since) {
    while (line.sends || (cf_rp2_usb.halted & CF_USB_DATA_IN) != 0) {
        if (line.deaf || cf_rp2_usb.configuration == 0 || cf_hal_ticks() - since > cf_hal_timer_hz() / PATIENCE) {
            line.deaf = true;
            return false;
        }
    }
    line.deaf = false;
    return cf_rp2_usb.configuration != 0;
}

CF_USB_CODE static uint32_t filling(void) {
    return IN_AT + CF_USB_BULK * line.side;
}

/* Hands over what is filled, which may be nothing: after a full packet that tells the host of the end. */
CF_USB_CODE static void pass_on(cf_moment since) {
    if (!is_free(since)) {
        line.loses = true;
        line.filled = 0;
        return;
    }
    cf_arch_irq_mask();
    if (cf_rp2_usb.configuration != 0 && (cf_rp2_usb.halted & CF_USB_DATA_IN) == 0) {
        cf_mmio_write(ENDPOINT_IN(2), ENDPOINT_ON | ENDPOINT_EACH | ENDPOINT_BULK | filling());
        line.sends = true;
        arm(BUFFER_IN(2), line.filled | FULL | line.in);
        line.in ^= DATA1;
        line.side ^= 1u;
    }
    cf_arch_irq_unmask();
    line.filled = 0;
}

CF_USB_CODE static void put(uint8_t byte) {
    cf_mmio_write8(MEMORY + filling() + line.filled++, byte);
}

/* What comes behind lost bytes begins with the end of their frame, so that it is not taken for the rest of it. */
CF_USB_CODE void cf_rp2_usb_send(const uint8_t *src, uint32_t len) {
    const cf_moment since = cf_hal_ticks();

    for (; len > 0; len--) {
        const uint8_t byte = *src++;
        if (!line.loses) {
            put(byte);
            if (line.filled == CF_USB_BULK) {
                pass_on(since);
            }
            if (byte == 0 && !line.loses) {
                pass_on(since);
            }
        }
        if (byte == 0 && line.loses) {
            line.loses = false;
            put(0);
        }
    }
}

#endif
