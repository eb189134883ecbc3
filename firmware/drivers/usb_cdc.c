/* Requests and descriptors of a serial port. Sections are those of USB 2.0 where nothing else is named. */
#include "drivers/usb_cdc.h"

#include <stddef.h>

#include "platform/board.h"

#if CF_SMALL

#define VENDOR 0x2e8au /* Raspberry Pi's, which lends it to what its chips are in: github.com/raspberrypi/usb-pid */

#define LOW(n) ((n) & 0xffu)
#define HIGH(n) ((n) >> 8)

enum { DEVICE = 1, CONFIGURATION = 2, STRING = 3, INTERFACE = 4, ENDPOINT = 5, ASSOCIATION = 11, CS_INTERFACE = 0x24 }; /* table 9-5 */
enum { LANGUAGES, MAKER, PRODUCT, SERIAL };
enum { DATA_OUT_ADDRESS = 0x02, NOTIFY_IN_ADDRESS = 0x81, DATA_IN_ADDRESS = 0x82 };

#define DEVICE_BYTES 18u
#define DEVICE_PRODUCT 10u /* where the product number is */

/* Table 9-8; the class is that of devices with interface associations. */
CF_USB_DATA static const uint8_t device[DEVICE_BYTES] = {
    DEVICE_BYTES, DEVICE, 0x00, 0x02, 0xef, 2, 1, CF_USB_CONTROL, LOW(VENDOR), HIGH(VENDOR), 0, 0, 0x00, 0x01, MAKER, PRODUCT, SERIAL, 1,
};

#define ALL_BYTES (9u + 8u + 9u + 5u + 5u + 4u + 5u + 7u + 9u + 7u + 7u)
#define MOST_MA 250u

CF_USB_DATA static const uint8_t configuration[ALL_BYTES] = {
    9, CONFIGURATION, ALL_BYTES, 0, 2, 1, 0, 0x80, MOST_MA / 2, /* table 9-10: powered by the bus */
    8, ASSOCIATION, 0, 2, 2, 2, 0, 0,                           /* both interfaces are one function (ECN of 2003) */
    9, INTERFACE, 0, 0, 1, 2, 2, 0, 0,                          /* table 9-12: CDC, abstract control model */
    5, CS_INTERFACE, 0x00, 0x20, 0x01,                          /* CDC 1.2, 5.2.3.1: version 1.20 */
    5, CS_INTERFACE, 0x01, 0, 1,                                /* PSTN 1.2, 5.3.1: no call management */
    4, CS_INTERFACE, 0x02, 0x02,                                /* 5.3.2: coding and lines can be set */
    5, CS_INTERFACE, 0x06, 0, 1,                                /* CDC 1.2, 5.2.3.2: interface 1 has the data */
    7, ENDPOINT, NOTIFY_IN_ADDRESS, 3, 8, 0, 255,               /* table 9-13 */
    9, INTERFACE, 1, 0, 2, 10, 0, 0, 0,
    7, ENDPOINT, DATA_OUT_ADDRESS, 2, CF_USB_BULK, 0, 0,
    7, ENDPOINT, DATA_IN_ADDRESS, 2, CF_USB_BULK, 0, 0,
};

CF_USB_DATA static const char maker[] = "Copaflash ";
#define MAKER_LETTERS 9u

CF_BUFFER uint8_t cf_usb_text[CF_USB_TEXT];

struct setup {
    uint16_t value, index, length;
};

CF_USB_CODE static uint16_t pair(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

CF_USB_CODE static bool say(struct cf_usb *u, const uint8_t *bytes, uint32_t n) {
    u->answer = bytes;
    u->left = n;
    return true;
}

CF_USB_CODE static bool say_byte(struct cf_usb *u, uint32_t n, uint8_t byte) {
    cf_usb_text[0] = byte;
    cf_usb_text[1] = 0;
    return say(u, cf_usb_text, n);
}

/* Letters are pairs of bytes (9.6.7), of which the upper ones are 0. Names of boards are shorter than there is room for. */
CF_USB_CODE static uint32_t letter(uint32_t at, char c) {
    if (at + 2u <= CF_USB_TEXT) {
        cf_usb_text[at] = (uint8_t)c;
        cf_usb_text[at + 1u] = 0;
        at += 2u;
    }
    return at;
}

CF_USB_CODE static bool say_string(struct cf_usb *u, uint32_t which) {
    uint32_t at = 2;

    if (which == LANGUAGES) {
        at = letter(at, 0x09);
        cf_usb_text[3] = 0x04; /* English, United States */
    } else if (which < SERIAL) {
        const char *const name = cf_board.platform.about;
        for (uint32_t i = 0; i < (which == MAKER ? MAKER_LETTERS : MAKER_LETTERS + 1u); i++) {
            at = letter(at, maker[i]);
        }
        for (uint32_t i = 0; which == PRODUCT && name[i] != '\n'; i++) {
            at = letter(at, name[i]);
        }
    } else if (which == SERIAL) {
        const uint8_t *const id = cf_chip_serial();
        for (uint32_t i = 0; i < 16u; i++) {
            const uint32_t digit = (id[i / 2u] >> (i % 2u == 0 ? 4 : 0)) & 15u;
            at = letter(at, (char)(digit < 10u ? '0' + digit : 'A' - 10u + digit));
        }
    } else {
        return false;
    }
    cf_usb_text[0] = (uint8_t)at;
    cf_usb_text[1] = STRING;
    return say(u, cf_usb_text, at);
}

/* 9.4.3. There is no second configuration, and no descriptor for another speed. */
CF_USB_CODE static bool get_descriptor(struct cf_usb *u, const struct setup *s) {
    const uint32_t kind = HIGH(s->value), which = LOW(s->value);

    if (kind == STRING) {
        return say_string(u, which);
    }
    if (which != 0) {
        return false;
    }
    if (kind == DEVICE) {
        for (uint32_t i = 0; i < DEVICE_BYTES; i++) {
            cf_usb_text[i] = device[i];
        }
        cf_usb_text[DEVICE_PRODUCT] = LOW(cf_usb_product);
        cf_usb_text[DEVICE_PRODUCT + 1u] = (uint8_t)HIGH(cf_usb_product);
        return say(u, cf_usb_text, DEVICE_BYTES);
    }
    return kind == CONFIGURATION && say(u, configuration, ALL_BYTES);
}

/* 9.4.6; taken over when the answer is out. */
CF_USB_CODE static bool set_address(struct cf_usb *u, const struct setup *s) {
    u->address = (uint8_t)(CF_USB_ADDRESSED | s->value);
    return s->value < CF_USB_ADDRESSED;
}

/* 9.4.7: also where it stays the same all data start over. */
CF_USB_CODE static bool set_configuration(struct cf_usb *u, const struct setup *s) {
    if (s->value > 1u) {
        return false;
    }
    u->configuration = (uint8_t)s->value;
    u->halted = 0;
    u->after = CF_USB_CONFIGURED;
    return true;
}

CF_USB_CODE static bool get_configuration(struct cf_usb *u, const struct setup *s) {
    (void)s;
    return say_byte(u, 1, u->configuration);
}

CF_USB_CODE static bool get_device_status(struct cf_usb *u, const struct setup *s) {
    (void)s;
    return say_byte(u, 2, 0); /* 9.4.5: powered by the bus, wakes nobody */
}

CF_USB_CODE static bool is_interface(const struct cf_usb *u, const struct setup *s) {
    return u->configuration != 0 && s->index < 2u;
}

CF_USB_CODE static bool get_interface_status(struct cf_usb *u, const struct setup *s) {
    return is_interface(u, s) && say_byte(u, 2, 0);
}

/* 9.4.4 and 9.4.10: there is one setting, 0. */
CF_USB_CODE static bool get_interface(struct cf_usb *u, const struct setup *s) {
    return is_interface(u, s) && say_byte(u, 1, 0);
}

CF_USB_CODE static bool set_interface(struct cf_usb *u, const struct setup *s) {
    if (!is_interface(u, s) || s->value != 0) {
        return false;
    }
    if (s->index == 1) { /* 9.1.1.5: its data start over */
        u->halted = 0;
        u->after = CF_USB_CONFIGURED;
    }
    return true;
}

/* Its bit, 0 if there is no such endpoint now. */
CF_USB_CODE static uint8_t endpoint(const struct cf_usb *u, const struct setup *s) {
    if (u->configuration == 0) {
        return 0;
    }
    switch (s->index) {
    case DATA_OUT_ADDRESS:
        return CF_USB_DATA_OUT;
    case DATA_IN_ADDRESS:
        return CF_USB_DATA_IN;
    case NOTIFY_IN_ADDRESS:
        return CF_USB_NOTIFY_IN;
    default:
        return 0;
    }
}

CF_USB_CODE static bool is_control(const struct setup *s) {
    return (s->index & 0xff7fu) == 0;
}

CF_USB_CODE static bool get_endpoint_status(struct cf_usb *u, const struct setup *s) {
    const uint8_t bit = endpoint(u, s);
    return (bit != 0 || is_control(s)) && say_byte(u, 2, (u->halted & bit) != 0);
}

/* 9.4.1 and 9.4.9: ENDPOINT_HALT, 0, is the only feature. Endpoint 0 is not halted for longer than until the next request. */
CF_USB_CODE static bool set_halt(struct cf_usb *u, const struct setup *s, bool halt) {
    const uint8_t bit = endpoint(u, s);

    if (s->value != 0 || bit == 0) {
        return s->value == 0 && is_control(s);
    }
    u->halted = (uint8_t)(halt ? u->halted | bit : u->halted & ~bit);
    u->changed = bit;
    u->after = CF_USB_HALTS;
    return true;
}

CF_USB_CODE static bool clear_endpoint_feature(struct cf_usb *u, const struct setup *s) {
    return set_halt(u, s, false);
}

CF_USB_CODE static bool set_endpoint_feature(struct cf_usb *u, const struct setup *s) {
    return set_halt(u, s, true);
}

/* PSTN 1.2, 6.3.10 to 6.3.12, for interface 0. */
CF_USB_CODE static bool is_port(const struct cf_usb *u, const struct setup *s) {
    return u->configuration != 0 && s->index == 0;
}

CF_USB_CODE static bool set_line_coding(struct cf_usb *u, const struct setup *s) {
    u->receives = CF_USB_CODING;
    return is_port(u, s);
}

CF_USB_CODE static bool get_line_coding(struct cf_usb *u, const struct setup *s) {
    return is_port(u, s) && say(u, u->coding, sizeof u->coding);
}

#define TOUCH_BAUD 1200u

CF_USB_CODE static bool set_line_state(struct cf_usb *u, const struct setup *s) {
    const bool ready = (s->value & 1u) != 0;

    if (!is_port(u, s)) {
        return false;
    }
    if (u->ready && !ready && pair(u->coding) == TOUCH_BAUD && (u->coding[2] | u->coding[3]) == 0) {
        u->touched = true;
    }
    u->ready = ready;
    return true;
}

/* By bmRequestType and bRequest (table 9-3; PSTN 1.2, table 13). A request of the host's data has just so many bytes of them. */
#define KEY(type, request) ((type) | (request) << 8)

struct row {
    uint16_t key;
    uint16_t length;
    bool (*carry_out)(struct cf_usb *u, const struct setup *s);
};

CF_USB_DATA static const struct row rows[] = {
    {KEY(0x80, 0x06), 0, get_descriptor},
    {KEY(0x00, 0x05), 0, set_address},
    {KEY(0x00, 0x09), 0, set_configuration},
    {KEY(0x80, 0x08), 0, get_configuration},
    {KEY(0x80, 0x00), 0, get_device_status},
    {KEY(0x81, 0x00), 0, get_interface_status},
    {KEY(0x82, 0x00), 0, get_endpoint_status},
    {KEY(0x81, 0x0a), 0, get_interface},
    {KEY(0x01, 0x0b), 0, set_interface},
    {KEY(0x02, 0x01), 0, clear_endpoint_feature},
    {KEY(0x02, 0x03), 0, set_endpoint_feature},
    {KEY(0x21, 0x20), CF_USB_CODING, set_line_coding},
    {KEY(0xa1, 0x21), 0, get_line_coding},
    {KEY(0x21, 0x22), 0, set_line_state},
};

CF_USB_CODE bool cf_usb_request(struct cf_usb *u, const uint8_t *setup) {
    const struct setup s = {pair(setup + 2), pair(setup + 4), pair(setup + 6)};
    const bool asks = (setup[0] & 0x80u) != 0;

    u->address = u->after = u->receives = 0;
    u->left = 0;
    u->ends = false;
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof rows[0]; row++) {
        if (row->key != pair(setup)) {
            continue;
        }
        if ((!asks && s.length != row->length) || !row->carry_out(u, &s)) {
            break;
        }
        if (asks) {
            u->ends = u->left < s.length && u->left % CF_USB_CONTROL == 0;
            u->left = u->left < s.length ? u->left : s.length;
        }
        return true;
    }
    u->address = u->after = u->receives = 0;
    return false;
}

CF_USB_CODE bool cf_usb_received(struct cf_usb *u, uint32_t n) {
    const bool whole = u->receives != 0 && n == u->receives;

    u->receives = 0;
    for (uint32_t i = 0; whole && i < CF_USB_CODING; i++) {
        u->coding[i] = cf_usb_text[i];
    }
    return whole;
}

CF_USB_CODE void cf_usb_reset(struct cf_usb *u) {
    u->configuration = 0;
    u->halted = u->address = u->receives = 0;
    u->left = 0;
    u->ready = u->ends = false;
}

#endif
