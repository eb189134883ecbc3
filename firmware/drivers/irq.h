/*
 * What the driver of an interrupt controller does, for one core and the two interrupts that cf_chip names (platform/chip.h);
 * one constant per driver, named by the chip.
 */
#ifndef CF_IRQ_H
#define CF_IRQ_H

#include <stdint.h>

/* Beside the numbers of the controller. */
#define CF_IRQ_CORE (-1) /* the clock's, where it is an exception of the core itself */
#define CF_IRQ_NONE (-2)

struct cf_irq_driver {
    /* Quiets everything, whatever state an earlier run left, and lets the two through to this core. */
    void (*start)(void);

    /* Takes the one that is pending next, CF_IRQ_NONE when there is none left; any other is silenced. NULL, with complete, where
     * an exception comes with its number. */
    int32_t (*claim)(void);

    /* Ends the handling of one that was claimed, whose source has been quieted. */
    void (*complete)(int32_t number);
};

extern const struct cf_irq_driver cf_bcm_intc;  /* BCM2835: peripherals + 0xb200 */
extern const struct cf_irq_driver cf_bcm_local; /* BCM2836 and BCM2837: that one, and the one of the cores before it */
extern const struct cf_irq_driver cf_esp_intmtx; /* interrupt matrix of the ESP32-C3 */
extern const struct cf_irq_driver cf_gicv2;     /* Arm GIC, version 2 or 1: distributor, processor interface */
extern const struct cf_irq_driver cf_plic;      /* RISC-V PLIC, machine mode of hart 0 */

#endif
