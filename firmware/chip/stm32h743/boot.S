/*
 * The first instructions of an STM32H743. After power-up it does not know yet what it is supplied by, and allows neither writing to RAM nor
 * another voltage until it has been told, once: that its own regulator is in use (RM0433 6.4.1 and 6.6.1, PWR_CR3). Later writes of that,
 * after a reset, have no effect. Nothing is on a stack here.
 */
    .syntax unified
    .thumb

#define PWR 0x58024800
#define CSR1 0x04
#define CR3 0x0c
#define CSR1_ACTVOSRDY_BIT 13
#define CR3_LDOEN 2

#define LOOKS 20000                     /* of 6 cycles and more, at 64 MHz: 2 ms at the least */

    .section .text.cf_chip_first, "ax"
    .global cf_chip_first
    .thumb_func
cf_chip_first:
    ldr     r0, =PWR
    movs    r1, #CR3_LDOEN
    str     r1, [r0, #CR3]
    movw    r2, #LOOKS
1:  ldr     r1, [r0, #CSR1]
    lsls    r1, r1, #31 - CSR1_ACTVOSRDY_BIT
    bmi     2f
    subs    r2, #1
    bne     1b
2:  ldr     r0, =cf_m_reset
    bx      r0
    .pool
