/* The child's side of the pins: what it wants carried out by their process (io.c). */
#include <asm/errno.h>

#include "core/pins.h"
#include "host.h"
#include "sys.h"

#define LEAST_PATIENCE_NS 500000000u /* with a list of a tick that may take less */

void cf_host_pins_child(void) {
    cf_host.is_child = 1;
    if (cf_host.pins_page != NULL) {
        (void)cf_sys2(__NR_munmap, cf_host.pins_page, CF_HOST_PAGE);
    }
}

/* A driver may hold that process up: then the tick ends, and the runner sees to the safe values. */
uint32_t cf_host_pins_ask(struct cf_loop *l, uint32_t list) {
    struct cf_host_shared *s = cf_host.shared;
    const uint32_t before = cf_get(&s->pins_ask);
    const uint32_t ask = (before & ~0xffu) + 0x100u + (l->current & 1u) * 4u + list;

    if (l->program[l->current % CF_PROGRAMS].pins == NULL) {
        return CF_LOOP_END_NONE;
    }
    if (cf_get(&s->pins_done) != before) {
        return CF_LOOP_END_DEVICE;
    }
    cf_set(&s->pins_ask, ask);
    cf_fence();
    if (cf_get(&s->pins_sleeps) != 0) {
        cf_host_wake(&s->pins_ask);
    }
    if (!cf_host_await(&s->pins_done, ask, &s->pins_waits, cf_hal_ticks() + (l->limit < LEAST_PATIENCE_NS ? LEAST_PATIENCE_NS : l->limit))) {
        l->failure = (struct cf_failure){{CF_FAULT_DEVICE, ETIMEDOUT, 0, 0}, 0, l->tick};
        return CF_LOOP_END_DEVICE;
    }
    if (s->pins_end != CF_LOOP_END_NONE && list != CF_PINS_SAFE) {
        l->failure = s->pins_failure;
        l->failure.run = l->tick;
    }
    return s->pins_end;
}
