/*
 * What a USB device that is a serial port answers on endpoint 0, whatever its controller is: USB 2.0, chapter 9; the abstract control
 * model of CDC 1.2 and PSTN 1.2. Full speed, one configuration, two interfaces: endpoint 1 would tell of modem lines and never does,
 * endpoint 2 carries bytes, both ways.
 */
#ifndef CF_USB_CDC_H
#define CF_USB_CDC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/small.h"

/* Where size counts this part lies in sections of its own, by which it has a budget of its own. */
#if CF_SMALL && !__STDC_HOSTED__
#define CF_USB_CODE __attribute__((noinline, section(".usb")))
#define CF_USB_DATA __attribute__((section(".usb.constants")))
#else
#define CF_USB_CODE
#define CF_USB_DATA
#endif

#define CF_USB_CONTROL 16u /* bytes of a packet on endpoint 0: one is copied in less time than a tick of the loop can wait */
#define CF_USB_BULK 64u    /* on endpoint 2 */
#define CF_USB_SETUP 8u    /* of a request */
#define CF_USB_ADDRESSED 0x80u
#define CF_USB_CODING 7u   /* PSTN 1.2, table 17 */

/* Bits of what has been halted. */
#define CF_USB_DATA_OUT 1u
#define CF_USB_DATA_IN 2u
#define CF_USB_NOTIFY_IN 4u

/* What the controller has to do after a request, beside what its answer asks for. */
enum cf_usb_after {
    CF_USB_NOTHING,
    CF_USB_CONFIGURED, /* to begin with endpoints 1 and 2, or to end with them: .configuration says */
    CF_USB_HALTS,      /* what .halted says of the endpoint in .changed is new, or is said again: its data start over */
};

struct cf_usb {
    volatile uint8_t configuration; /* 1: the host has chosen it; 0 */
    uint8_t address;                /* with CF_USB_ADDRESSED: to be taken over when the answer is out; 0: none */
    volatile uint8_t halted;
    uint8_t changed;
    uint8_t after;                  /* enum cf_usb_after */
    uint8_t receives;               /* bytes that the host is to send, CF_USB_CODING or 0 */
    bool ready;                     /* DTR, as the host last said */
    bool ends;                      /* an empty packet follows the answer: it is shorter than asked for, and full packets make it up */
    volatile bool touched;          /* DTR has gone at 1200 baud: the board's boot loader is wanted */
    const uint8_t *answer;
    uint32_t left;                  /* bytes of it */
    uint8_t coding[CF_USB_CODING];  /* rate, stop bits, parity, data bits: all are as good */
};

/* An answer that is made up, or what the host sends with a request. */
#define CF_USB_TEXT 64u
extern uint8_t cf_usb_text[CF_USB_TEXT];

/* Takes a request of 8 bytes. Returns false if it is to be answered by a stall. */
bool cf_usb_request(struct cf_usb *u, const uint8_t *setup);

/* What the host sends with it has come: so many bytes of coding. Returns false likewise. */
bool cf_usb_received(struct cf_usb *u, uint32_t n);

/* The bus has been reset: all but what the port was set to starts over. */
void cf_usb_reset(struct cf_usb *u);

/* Of the chip: its product number, and 8 bytes that tell one board from another. */
extern const uint16_t cf_usb_product;
const uint8_t *cf_chip_serial(void);

#endif
