/* What interrupt controllers have in common. */
#ifndef CF_IRQ_H
#define CF_IRQ_H

#include <stdint.h>

/* The interrupts that a runner uses. */
enum cf_irq {
    CF_IRQ_NONE,
    CF_IRQ_UART,
    CF_IRQ_TIMER,
    CF_IRQ_UNKNOWN, /* something else was pending; it has been silenced */
};

/* One interrupt taken from the controller; cookie is the controller's own. */
struct cf_irq_claim {
    enum cf_irq source;
    uint32_t cookie;
};

#endif
