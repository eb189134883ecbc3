/* Going on with another program: SWAP. */
#include "list.h"
#include "loop.h"
#include "request.h"

#if CF_HAS_SWAP
int32_t cf_swap(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->platform->loop;
    struct cf_image *m = &c->image[1];

    if (c->state != CF_STATE_TICKING || c->beside != CF_STATE_READY) {
        return CF_ERR_BAD_STATE;
    }
    if (c->swapping || cf_get(&l->staged) != 0) {
        return CF_ERR_BUSY;
    }
    struct cf_program *p = &l->program[c->program ^ 1u];
    const struct cf_space from = cf_space(c, &c->image[0]);
    const struct cf_space to = cf_space(c, m);
    int32_t status = cf_read_tasks(c, m, p, &f[CF_KEY_SWAP_REQ_TASKS], a);
    if (status != CF_OK) {
        return status;
    }
    const struct cf_swap w = {
        cf_u32(f, CF_KEY_SWAP_REQ_GATHER), cf_u32(f, CF_KEY_SWAP_REQ_SCATTER), cf_u32(f, CF_KEY_SWAP_REQ_SCRATCH),
        cf_u32(f, CF_KEY_SWAP_REQ_TRIAL),
    };
    const uint32_t safe = cf_u32(f, CF_KEY_SWAP_REQ_SAFE);
    const uint32_t telemetry = cf_u32(f, CF_KEY_SWAP_REQ_TELEMETRY);
    const struct cf_records *ring = &c->stream.ring;
    if ((w.gather != 0) != (w.scatter != 0) || (telemetry != 0 && !c->stream.on)) {
        return CF_ERR_BAD_LENGTH;
    }
    if (w.gather != 0) {
        const int32_t gathered = cf_list(&from, w.gather, w.scratch, UINT32_MAX, CF_LIST_CHECK);
        const int32_t scattered = cf_list(&to, w.scatter, w.scratch, UINT32_MAX, CF_LIST_CHECK);
        if (gathered < 0 || scattered < 0) {
            return CF_ERR_OUT_OF_RANGE;
        }
        if (gathered != scattered) {
            return CF_ERR_BAD_LENGTH;
        }
    }
    if (safe != 0 && !cf_is_list(&to, safe)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    if (telemetry != 0 && cf_list(&to, telemetry, ring->place, ring->record - 8u, CF_LIST_CHECK) != (int32_t)(ring->record - 8u)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    p->space = to;
    p->safe = safe;
    p->telemetry = telemetry;
    m->safe = safe;
    l->swap = w;
    c->swapping = 1;
    cf_set(&l->count[CF_LOOP_SWAP_STATE], CF_SWAP_PENDING);
    return CF_OK;
}
#endif
