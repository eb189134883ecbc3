/* The rate of the line: BAUD. */
#include "request.h"

int32_t cf_baud(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint32_t baud = cf_u32(f, CF_KEY_BAUD_REQ_BAUD);

    (void)a;
    for (uint32_t i = 0; i < c->platform->baud_count; i++) {
        if (c->platform->bauds[i] == baud) {
            c->baud_next = baud;
            return CF_OK;
        }
    }
    return CF_ERR_UNSUPPORTED;
}

_Static_assert(CF_BAUD_FALLBACK_MS % 1000u == 0, "counted in seconds");

void cf_switch_baud(struct cf_core *c) {
    uint32_t baud = c->baud_next;

    c->baud_next = 0;
    if (cf_hal_set_baud(baud) == 0) { /* else the host hears nothing at the new rate and returns to the old one, which is still in use */
        c->trying = 1;
        c->baud_deadline = cf_hal_ticks() + cf_hal_timer_hz() * (cf_number)(CF_BAUD_FALLBACK_MS / 1000u);
    }
}

void cf_check_baud(struct cf_core *c) {
    if (c->trying && !cf_before(cf_hal_ticks(), c->baud_deadline)) {
        c->trying = 0;
        (void)cf_hal_set_baud(c->platform->bauds[0]); /* it was in use before */
    }
}
