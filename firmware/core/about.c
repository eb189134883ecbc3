/* What the runner is, and its status: HELLO, STATUS. */
#include <stddef.h>

#include "request.h"

/* The digest of what is loaded, empty if nothing is. */
static void key_digest(struct cf_answer *a, const struct cf_core *c) {
    int loaded = c->state != CF_STATE_IDLE && c->state != CF_STATE_LOADING;

    cf_key_bytes(a, &cf_current(c)->digest, loaded ? CF_DIGEST_LENGTH : 0);
}

void cf_key_fault(struct cf_answer *a, const struct cf_core *c, const struct cf_failure *x) {
    const struct cf_fault *fault = &x->fault;
    uintptr_t offset = 0;
    int inside = 0;

    for (uint32_t i = 0; i < CF_PROGRAMS && !inside; i++) { /* of a swap that went back: in the image beside */
        const struct cf_image *m = &c->image[i];
        offset = fault->pc - m->code;
        inside = offset < m->region[CF_REGION_CODE].length;
    }
    const uintptr_t values[] = {
        fault->kind, inside ? offset : fault->pc, fault->address, x->entry, x->run, fault->cause,
    };

    cf_key(a);
    cf_put_head(&a->w, CF_CBOR_MAP, CF_KEY_FAULT_INSIDE);
    for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        cf_put_uint(&a->w, CF_KEY_FAULT_KIND + i);
        cf_put_uint(&a->w, values[i]);
    }
    cf_put_uint(&a->w, CF_KEY_FAULT_INSIDE);
    cf_put_bool(&a->w, inside);
}

int32_t cf_hello(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const struct cf_platform *p = c->platform;
    const uint32_t nonce = cf_u32(f, CF_KEY_HELLO_REQ_NONCE);
    _Static_assert(CF_KEY_HELLO_RSP_VERSION == 2 && CF_KEY_HELLO_RSP_SESSION == 3 && CF_KEY_HELLO_RSP_ARCH == 4
                       && CF_KEY_HELLO_RSP_FEATURES == 5 && CF_KEY_HELLO_RSP_BOARD == 6 && CF_KEY_HELLO_RSP_FIRMWARE == 7
                       && CF_KEY_HELLO_RSP_BOOT_NONCE == 8 && CF_KEY_HELLO_RSP_CODE_CAPACITY == 9
                       && CF_KEY_HELLO_RSP_DATA_CAPACITY == 10 && CF_KEY_HELLO_RSP_MAX_PACKET == 11
                       && CF_KEY_HELLO_RSP_WINDOW == 12 && CF_KEY_HELLO_RSP_SAMPLE_CAPACITY == 13
                       && CF_KEY_HELLO_RSP_TIMER_HZ == 14 && CF_KEY_HELLO_RSP_BAUDS == 15 && CF_KEY_HELLO_RSP_STATE == 16
                       && CF_KEY_HELLO_RSP_DIGEST == 17 && CF_KEY_HELLO_RSP_NONCE == 18 && CF_KEY_HELLO_RSP_LOOP_FEATURES == 19
                       && CF_KEY_HELLO_RSP_LIVE_CAPACITY == 20 && CF_KEY_HELLO_RSP_GUARD == 21,
                   "written in this order");

    if (cf_u32(f, CF_KEY_HELLO_REQ_VERSION) != CF_PROTOCOL_VERSION) {
        return CF_ERR_BAD_VERSION;
    }
    if (!c->open) { /* not before: when a host first speaks is a part of the nonce */
        c->boot_nonce = cf_hal_nonce();
        c->link.session = (uint16_t)c->boot_nonce; /* ids of before a restart are not met again at once */
    }
    if (!c->open || c->link.host_nonce != nonce) {
        cf_link_open(&c->link, nonce);
        c->open = 1;
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
    cf_key_uint(a, CF_PROTOCOL_VERSION);
    cf_key_uint(a, c->link.session);
    cf_key_uint(a, p->arch);
    cf_key_uint(a, p->features);
    cf_key_text(a, p->board);
    cf_key_text(a, p->firmware);
    cf_key_uint(a, c->boot_nonce);
    for (uint32_t i = 0; i < CF_CAPACITY_LIVE; i++) {
        cf_key_uint(a, p->capacity[i]);
    }
    cf_key_uint(a, cf_hal_timer_hz());
    cf_key_array(a, p->bauds, p->baud_count);
    cf_key_uint(a, c->state);
    key_digest(a, c);
    cf_key_uint(a, nonce);
    cf_key_uint(a, cf_has_loop(c) ? CF_LOOP_FEATURES | p->loop_features | (CF_HAS_PINS ? p->windows->feature : 0) : 0);
    cf_key_uint(a, p->capacity[CF_CAPACITY_LIVE]);
    cf_key_uint(a, cf_hal_guard());
    return CF_OK;
}

_Static_assert(CF_KEY_STATUS_RSP_STATE == 2 && CF_KEY_STATUS_RSP_DIGEST == 3 && CF_KEY_STATUS_RSP_FAULT == 4
                   && CF_KEY_STATUS_RSP_COUNTERS == 5,
               "written in this order");

int32_t cf_status(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    (void)f;
    c->counter[CF_COUNT_OVERRUNS] = cf_hal_overruns();
    cf_key_uint(a, c->state);
    key_digest(a, c);
    if (c->failure.fault.kind != 0) {
        cf_key_fault(a, c, &c->failure);
    } else {
        cf_key_skip(a);
    }
    cf_key_array(a, c->counter, CF_COUNTERS);
    return CF_OK;
}
