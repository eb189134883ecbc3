/* Records of every tick around a trigger: CAPTURE. */
#include "list.h"
#include "loop.h"
#include "request.h"

#if CF_HAS_CAPTURE
int32_t cf_capture(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->platform->loop;
    struct cf_capture *k = &l->capture;

    (void)a;
    if (c->state != CF_STATE_TICKING) {
        return CF_ERR_BAD_STATE;
    }
    if (c->swapping) {
        return CF_ERR_BUSY;
    }
    uint32_t *state = &l->count[CF_LOOP_CAPTURE_STATE];
    cf_set(state, CF_CAPTURE_OFF);
    int32_t status = cf_quiet(c);
    const uint32_t list = cf_u32(f, CF_KEY_CAPTURE_REQ_LIST);
    if (status != CF_OK || list == 0) {
        return status;
    }
    k->list = list;
    k->offset = cf_u32(f, CF_KEY_CAPTURE_REQ_OFFSET);
    k->trigger = cf_u32(f, CF_KEY_CAPTURE_REQ_TRIGGER);
    k->threshold = cf_u32(f, CF_KEY_CAPTURE_REQ_THRESHOLD);
    k->left = cf_u32(f, CF_KEY_CAPTURE_REQ_AFTER);
    k->type = cf_u32(f, CF_KEY_CAPTURE_REQ_TYPE);
    k->hit = 1; /* what it was before is not known */
    if (k->offset % 4u != 0 || !cf_within(k->offset, 4, cf_data_length(cf_current(c))) || k->trigger > CF_TRIGGER_END
        || k->type > CF_TRIGGER_TYPE_F32) {
        return CF_ERR_OUT_OF_RANGE;
    }
    struct cf_records ring; /* not in memory that the program may write */
    status = cf_plan_records(c, &ring, list, cf_u32(f, CF_KEY_CAPTURE_REQ_RING), cf_u32(f, CF_KEY_CAPTURE_REQ_LENGTH));
    if (status == CF_OK && k->left >= ring.slots) {
        status = CF_ERR_BAD_LENGTH;
    }
    if (status == CF_OK) {
        k->ring = ring;
        l->count[CF_LOOP_CAPTURE_NEXT] = 0;
        l->count[CF_LOOP_CAPTURE_TICK] = 0;
        cf_set(state, CF_CAPTURE_ARMED);
    }
    return status;
}
#endif
