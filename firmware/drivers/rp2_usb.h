/*
 * The USB controller of the RP2 family as a device (RP2040 datasheet, 4.1; RP2350 datasheet, 12.7, which is the same here but for
 * the isolation of its transceiver, which writing MAIN_CTRL ends), and what chooses between it and the UART.
 */
#ifndef CF_RP2_USB_H
#define CF_RP2_USB_H

#include "drivers/uart.h"
#include "drivers/usb_cdc.h"

#define CF_RP2_USB_MEMORY 0x50100000u
#define CF_RP2_USB 0x50110000u
#define CF_RP2_USB_MAIN (CF_RP2_USB + 0x40u)
#define CF_RP2_USB_SIE (CF_RP2_USB + 0x4cu)
#define CF_RP2_USB_MUXING (CF_RP2_USB + 0x74u)
#define CF_RP2_USB_PWR (CF_RP2_USB + 0x78u)
#define CF_RP2_USB_INTE (CF_RP2_USB + 0x90u)
#define CF_RP2_USB_DEVICE 1u                 /* MAIN_CTRL: on, no host, transceiver not isolated */
#define CF_RP2_USB_EACH (1u << 29)           /* SIE_CTRL: endpoint 0 raises the interrupt for each buffer */
#define CF_RP2_USB_PULL_UP (1u << 16)        /* and: the host sees a device */
#define CF_RP2_USB_TO_PHY 9u                 /* to the transceiver, which software connects */
#define CF_RP2_USB_VBUS 0xcu                 /* there is power on the bus, whatever a pin for that says: boards have none */
#define CF_RP2_USB_BUFFERS (1u << 4)
#define CF_RP2_USB_BUS_RESET (1u << 12)
#define CF_RP2_USB_SETUP (1u << 16)

/* Before the controller is turned on: its memory keeps its content. */
void cf_rp2_usb_clear(void);

/* By the interrupt, and with interrupts masked: one thing that has happened, which takes less time than the guard of a tick has. */
void cf_rp2_usb_interrupt(void);

/* By the link: takes up to cap received bytes, and returns how many. While it does not, the host waits. */
uint32_t cf_rp2_usb_take(uint8_t *dst, uint32_t cap);

/* By the link: sends bytes; what the host does not fetch within 50 ms is lost, up to the end of its frame. */
void cf_rp2_usb_send(const uint8_t *src, uint32_t len);

extern struct cf_usb cf_rp2_usb;

/* Whether bytes wait to be taken. */
bool cf_rp2_usb_waits(void);

/*
 * The runner's line is the UART or USB, whichever has brought the last valid HELLO; the UART after a start. Bytes of the other one are
 * looked through for a HELLO, and nothing else. Fields of struct cf_chip.
 */
extern const struct cf_uart_driver cf_rp2_lines;
uint32_t cf_rp2_take(struct cf_ring *rx, uint8_t *dst, uint32_t cap);
bool cf_rp2_waits(void);

/* rp2_rom.c: leaves the runner for the boot loader in ROM, which shows itself as a drive. */
void cf_rp2_to_loader(void);

#endif
