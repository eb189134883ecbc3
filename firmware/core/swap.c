/* Going on with another program: SWAP. */
#include "list.h"
#include "loop.h"
#include "pins.h"
#include "request.h"

#if CF_HAS_SWAP
int32_t cf_swap(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->loop;
    const uint32_t program = c->program ^ 1u;

    if (c->beside != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    if (c->swapping || cf_get(&l->staged) != 0) {
        return CF_ERR_BUSY;
    }
    const int32_t status = cf_set_program(c, &c->image[1], program, &f[CF_KEY_SWAP_REQ_TASKS], cf_u32(f, CF_KEY_SWAP_REQ_SAFE));
    if (status != CF_OK) {
        return status;
    }
    struct cf_program *p = &l->program[program];
    a->detail = cf_set_pins(c, &c->image[1], p, cf_u32(f, CF_KEY_SWAP_REQ_PINS));
    if (a->detail != 0) {
        return CF_ERR_OUT_OF_RANGE;
    }
    const uint32_t telemetry = cf_u32(f, CF_KEY_SWAP_REQ_TELEMETRY);
    const struct cf_records *ring = &c->stream.ring;
    if (telemetry != 0
        && (l->program[c->program].telemetry == 0 || cf_list(&c->image[1].space, telemetry, ring->place, CF_LIST_ANY) != (int32_t)(ring->record - 8u))) {
        return CF_ERR_OUT_OF_RANGE;
    }
    p->telemetry = telemetry;
    cf_take(&l->swap.gather, f, CF_KEY_SWAP_REQ_GATHER, 3); /* what they name is checked by the tick, which goes on without if it must */
    l->swap.trial = cf_u32(f, CF_KEY_SWAP_REQ_TRIAL);
    c->swapping = 1;
    cf_set(&l->count[CF_LOOP_SWAP_STATE], CF_SWAP_PENDING);
    return CF_OK;
}
#endif
