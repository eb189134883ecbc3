/*
 * The second stage of booting an RP2040: the first 256 bytes of flash memory, which the boot ROM copies to the end of RAM
 * and calls if the last four are their CRC-32 (RP2040 datasheet, 2.8.1.3.1). It has the flash memory answer at 0x10000000
 * by the command 03h, which every serial flash memory has, and copies the runner from there: nothing is read from flash
 * memory later, so its cache adds no jitter. A test works out the CRC and says what it has to be.
 */
#include "drivers/rp2_boot.h"

    .syntax unified
    .cpu    cortex-m0plus
    .thumb

/* Registers of the synchronous serial interface: RP2040 datasheet, 4.10.13. */
#define SSI 0x18000000
#define CTRLR0 0x00
#define CTRLR1 0x04
#define SSIENR 0x08
#define BAUDR 0x14
#define SPI_CTRLR0 (SSI + 0xf4)

#define DIVIDER 4                  /* 31 MHz at most: 03h is for 33 MHz or more */
#define CTRLR0_READ 0x001f0300     /* one data line, frames of 32 bits, command and address first */
#define SPI_CTRLR0_READ 0x03000218 /* the command 03h, 8 bits of it, 24 bits of address */

    .section .prefix, "ax"
boot:
    ldr     r1, =SSI
    movs    r0, #0
    str     r0, [r1, #SSIENR]
    movs    r0, #DIVIDER
    str     r0, [r1, #BAUDR]
    ldr     r0, =CTRLR0_READ
    str     r0, [r1, #CTRLR0]
    movs    r0, #0
    str     r0, [r1, #CTRLR1]           /* one frame a read */
    ldr     r2, =SPI_CTRLR0
    ldr     r0, =SPI_CTRLR0_READ
    str     r0, [r2]
    movs    r0, #1
    str     r0, [r1, #SSIENR]
    cf_rp2_start_runner
    .pool
    .org    boot + 252
    .word   0x010cc4fa                  /* CRC-32 of what is above: polynomial 0x04c11db7 from 0xffffffff, high bit first */
