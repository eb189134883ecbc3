/* An RP2040 or RP2350 as its USB controller sees it: clocks, resets, the controller's registers and memory, which refuse what the datasheet
 * forbids, and the host at the other end of the cable. */
#ifndef CF_TEST_USB_MODEL_H
#define CF_TEST_USB_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/ring.h"
#include "test/check.h"

/* Ends the test. */
_Noreturn void refuse(const char *what, uint32_t value);

/* chip.c: a chip after power-up, or a reset of the core alone, which leaves it as it is. */
void chip_power_up(void);
bool chip_clocks_usb(void);  /* 48 MHz, and the controller is not held in reset */
extern const uint8_t chip_number[8];
uint32_t chip_read(uintptr_t address);
void chip_write(uintptr_t address, uint32_t value);

/* controller.c */
void controller_reset(void);
bool controller_raised(void);
bool controller_shown(void); /* the host sees a device */
uint32_t controller_read(uint32_t offset);
void controller_write(uint32_t offset, uint32_t value);
uint8_t memory_read8(uint32_t offset);
void memory_write8(uint32_t offset, uint8_t value);
uint32_t memory_read(uint32_t offset);
void memory_write(uint32_t offset, uint32_t value);

/* The host: what becomes of a packet, or how many bytes it has. The interrupt comes before these return. */
enum { NAK = -1, STALLED = -2, NOTHING = -3 };
struct host {
    uint32_t address;   /* that it speaks to */
    uint32_t toggle[2][16]; /* DATA0 or 1 of the next packet, by direction (1: to the host) and endpoint */
};
extern struct host host;

void host_resets_bus(void);
int host_sets_up(const uint8_t *setup);
int host_gets(uint32_t endpoint, uint8_t *bytes);
int host_puts(uint32_t endpoint, const uint8_t *bytes, uint32_t n);

/* cases.c: has interrupts come that are pending. */
void interrupts(void);

#endif
