/* Records of every tick around a trigger: CAPTURE. */
#include "list.h"
#include "loop.h"
#include "request.h"

#if CF_HAS_CAPTURE
int32_t cf_capture(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->loop;
    struct cf_capture *k = &l->capture;
    uint32_t *state = &l->count[CF_LOOP_CAPTURE_STATE];
    struct cf_records ring; /* not in memory that the program may write */

    (void)a;
    const int32_t status = cf_plan_records(c, f, CF_KEY_CAPTURE_REQ_RING, state, &ring);
    if (status != CF_OK || ring.list == 0) {
        return status;
    }
    _Static_assert(CF_KEY_CAPTURE_REQ_TRIGGER == CF_KEY_CAPTURE_REQ_OFFSET + 1 && CF_KEY_CAPTURE_REQ_THRESHOLD == CF_KEY_CAPTURE_REQ_OFFSET + 2
                       && CF_KEY_CAPTURE_REQ_AFTER == CF_KEY_CAPTURE_REQ_OFFSET + 3 && CF_KEY_CAPTURE_REQ_TYPE == CF_KEY_CAPTURE_REQ_OFFSET + 4,
                   "copied in this order");
    cf_take(&k->offset, f, CF_KEY_CAPTURE_REQ_OFFSET, 5);
    if ((cf_u32(f, CF_KEY_CAPTURE_REQ_OFFSET) & 3u) != 0
        || !cf_within(cf_u32(f, CF_KEY_CAPTURE_REQ_OFFSET), 4, cf_current(c)->space.data_length)
        || cf_u32(f, CF_KEY_CAPTURE_REQ_TRIGGER) > CF_TRIGGER_FALLING || cf_u32(f, CF_KEY_CAPTURE_REQ_TYPE) > CF_TRIGGER_TYPE_F32) {
        return CF_ERR_OUT_OF_RANGE;
    }
    if (cf_u32(f, CF_KEY_CAPTURE_REQ_AFTER) >= ring.slots) {
        return CF_ERR_BAD_LENGTH;
    }
    k->hit = 1; /* what it was before is not known */
    k->ring = ring;
    l->count[CF_LOOP_CAPTURE_NEXT] = 0;
    l->count[CF_LOOP_CAPTURE_TICK] = 0;
    cf_set(state, CF_CAPTURE_ARMED);
    return CF_OK;
}
#endif
