/* What the runner is, and its status: HELLO, STATUS. */
#include <stddef.h>

#include "request.h"

/* The digest of what is loaded; the state tells whether anything is. */
static void key_digest(struct cf_answer *a, const struct cf_core *c) {
    cf_key_bytes(a, &cf_current(c)->digest, CF_DIGEST_LENGTH);
}

void cf_key_fault(struct cf_answer *a, const struct cf_core *c, const struct cf_failure *x) {
    const struct cf_fault *fault = &x->fault;
    uintptr_t offset = 0;
    int inside = 0;

    if (fault->kind == 0) {
        return;
    }
    for (uint32_t i = 0; i < CF_PROGRAMS && !inside; i++) { /* of a swap that went back: in the image beside */
        const struct cf_image *m = &c->image[i];
        offset = fault->pc - m->code;
        inside = offset < m->region[CF_REGION_CODE].length;
    }
    const uintptr_t numbers[] = {
        fault->kind, fault->cause, inside ? offset : fault->pc, fault->address, x->entry, x->run, (uintptr_t)inside,
    };

    cf_key_bytes(a, numbers, sizeof numbers);
}

_Static_assert(CF_KEY_HELLO_RSP_VERSION == 2 && CF_KEY_HELLO_RSP_NOW == 3 && CF_KEY_HELLO_RSP_LIMITS == 4
                   && CF_KEY_HELLO_RSP_ABOUT == 5 && CF_KEY_HELLO_RSP_BAUDS == 6 && CF_KEY_HELLO_RSP_DIGEST == 7
                   && CF_KEY_HELLO_RSP_CONDITIONS == 8,
               "written in this order, the version by core.c");
_Static_assert(offsetof(struct cf_platform, arch) == 0 && offsetof(struct cf_platform, features) == 4
                   && offsetof(struct cf_platform, capacity) == 8 && 8 + 4 * CF_CAPACITIES == CF_LIMITS_LENGTH,
               "as HELLO answers it");

int32_t cf_hello(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const struct cf_platform *p = c->platform;
    const uint32_t nonce = cf_u32(f, CF_KEY_HELLO_REQ_NONCE);

    if (cf_u32(f, CF_KEY_HELLO_REQ_VERSION) != CF_PROTOCOL_VERSION) {
        return CF_ERR_BAD_VERSION;
    }
    if (c->link.session == 0) { /* not before: when a host first speaks is a part of the nonce */
        c->boot_nonce = cf_hal_nonce();
        c->link.session = (uint16_t)c->boot_nonce; /* ids of before a restart are not met again at once */
        c->link.host_nonce = ~nonce;
    }
    if (c->link.host_nonce != nonce) {
        cf_link_open(&c->link, nonce);
        c->stream.on = 0;
        for (uint32_t i = 0; cf_has_loop(c) && i < CF_PROGRAMS; i++) {
            cf_set(&c->loop->program[i].telemetry, 0);
        }
        c->reply_length = 0;
        c->chunks = 0;
        if (c->state == CF_STATE_RUNNING) {
            c->state = CF_STATE_READY; /* nobody waits for the rest of that RUN any more */
        }
    }
    const uint32_t now[] = {
        c->link.session, nonce, c->boot_nonce, c->state, cf_hal_timer_hz(), cf_hal_guard(),
        cf_has_loop(c) ? CF_LOOP_FEATURES | (cf_has_store(c) ? CF_LOOP_STORE : 0) | p->loop_features | (CF_DRIVER ? CF_LOOP_PINS : CF_HAS_PINS ? p->windows->feature : 0) : 0,
    };

    _Static_assert(sizeof now == CF_NOW_LENGTH, "as SPEC.md has it");
    cf_key_bytes(a, now, sizeof now);
    cf_key_bytes(a, p, CF_LIMITS_LENGTH);
    cf_key_bytes(a, p->about, p->about_length);
    cf_key_bytes(a, p->bauds, p->baud_count * sizeof *p->bauds);
    key_digest(a, c);
    const uint32_t conditions = cf_hal_conditions();
    if (conditions != 0) {
        cf_key_uint(a, conditions);
    }
    return CF_OK;
}

_Static_assert(CF_KEY_STATUS_RSP_COUNTERS == 2 && CF_KEY_STATUS_RSP_DIGEST == 3 && CF_KEY_STATUS_RSP_FAULT == 4, "written in this order");
_Static_assert(sizeof((struct cf_core *)NULL)->counter == CF_COUNTERS_LENGTH, "as SPEC.md has it");

int32_t cf_status(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    (void)f;
    c->counter[CF_COUNT_OVERRUNS] = cf_hal_overruns();
    c->counter[CF_COUNT_STATE] = c->state;
    cf_key_bytes(a, c->counter, sizeof c->counter);
    key_digest(a, c);
    cf_key_fault(a, c, &c->failure);
    return CF_OK;
}
