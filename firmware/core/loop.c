/* What the requests about the loop have in common. */
#include "loop.h"

#include <stddef.h>

#include "list.h"
#include "pins.h"
#include "request.h"

const struct cf_image *cf_current(const struct cf_core *c) {
    const struct cf_image *m = &c->image[0];

    if (CF_HAS_SWAP && c->swapping) {
        const uint32_t state = cf_get(&c->loop->count[CF_LOOP_SWAP_STATE]);
        if (state == CF_SWAP_TRIAL || state == CF_SWAP_KEPT) {
            m = &c->image[CF_PROGRAMS - 1];
        }
    }
    return m;
}

/* Tries: a copy that a tick was in the way of costs half of what is left, and a look in the middle of one, where there is another
 * processor, one: together less than a millisecond. */
#define PATIENCE (1u << 16)

int32_t cf_steady(struct cf_core *c, const struct cf_field *f, struct cf_answer *a, cf_request *write) {
    const struct cf_loop *l = c->loop;

    for (uint32_t left = PATIENCE;; left >>= 1) {
        cf_answer_again(a);
        if (left == 0) {
            return CF_ERR_BUSY;
        }
        const uint32_t before = cf_get(&l->sequence);
        if (!CF_SMALL && before % 2u != 0) {
            left += left - 1u; /* one less when halved */
            continue;
        }
        const int32_t status = write(c, f, a);
        cf_fence();
        if (cf_get(&l->sequence) == before) {
            return status;
        }
    }
}

_Static_assert((int)CF_KEY_START_REQ_TASKS == (int)CF_KEY_SWAP_REQ_TASKS && (int)CF_KEY_START_REQ_PINS == (int)CF_KEY_SWAP_REQ_PINS, "read in one place");

int32_t cf_set_program(const struct cf_core *c, struct cf_image *m, uint32_t program, const struct cf_field *f, uint32_t safe, struct cf_answer *a) {
    struct cf_program *p = &c->loop->program[program];
    const struct cf_field *tasks = &f[CF_KEY_START_REQ_TASKS];
    struct cf_reader r = {tasks->at, tasks[1].at}; /* up to the next key, or into it */
    const uint32_t count = tasks->value / 2u;

    if (tasks->value % 2u != 0 || count - 1u >= CF_MAX_ENTRIES) {
        return CF_ERR_BAD_LENGTH;
    }
    for (struct cf_task *t = p->task; t < p->task + count; t++) {
        struct cf_field entry;
        struct cf_field divisor;
        (void)cf_cbor_head(&r, &entry); /* all of them are numbers */
        (void)cf_cbor_head(&r, &divisor);
        if (entry.value >= m->announced[CF_IMAGE_ENTRIES]) {
            return CF_ERR_OUT_OF_RANGE;
        }
        if (divisor.value == 0) {
            return CF_ERR_BAD_LENGTH;
        }
        *t = (struct cf_task){m->code + m->announced[CF_IMAGE_ENTRY + entry.value], divisor.value, entry.value};
    }
    p->count = count;
    p->space = m->space;
    p->safe = safe;
    m->safe = safe;
    a->detail = cf_set_pins(c, m, p, cf_u32(f, CF_KEY_START_REQ_PINS));
    if (a->detail != 0) {
        return CF_ERR_OUT_OF_RANGE;
    }
#if CF_PINS_ARE_CODE
    p->apart |= (count | p->task->divisor) - 1u;
#endif
#if CF_PINS_ARE_CODE && defined(CF_CACHES)
    cf_hal_sync_code((uint32_t)(m->code - c->platform->code_exec), m->announced[CF_IMAGE_CODE]);
#endif
#if defined(CF_HAL_PINS)
    const uint32_t place = cf_u32(f, CF_KEY_START_REQ_PINS);
    cf_hal_pins_set(program, &m->space, place == 0 ? NULL : (const cf_word *)(const void *)(m->region[CF_REGION_CODE].bytes + place));
#endif
    return safe != 0 && cf_list(&m->space, safe, CF_LIST_BEHIND, CF_LIST_ANY) < 0 ? CF_ERR_OUT_OF_RANGE : CF_OK;
}

#if !CF_SMALL
static int32_t nothing(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    (void)c, (void)f, (void)a;
    return CF_OK;
}
#endif

int32_t cf_plan_records(struct cf_core *c, const struct cf_field *f, uint32_t place, uint32_t *on, struct cf_records *r) {
    const struct cf_image *m = cf_current(c);
    const uint32_t length = cf_u32(f, place + 1u);

    if (c->swapping) {
        return CF_ERR_BUSY;
    }
    cf_set(on, 0);
#if !CF_SMALL /* else the link is interrupted by ticks, and not in the middle of one */
    struct cf_answer none = {.key = 0};
    if (cf_steady(c, f, &none, nothing) != CF_OK) {
        return CF_ERR_BUSY;
    }
#endif
    r->list = cf_u32(f, 1);
    r->place = cf_u32(f, place);
    r->next = 0;
    if (r->list == 0) {
        return CF_OK;
    }
    const int32_t values = cf_list(&m->space, r->list, r->place, CF_LIST_ANY);
    if (values < 0 || cf_live_at(&m->space, r->place, length) == NULL) {
        return CF_ERR_OUT_OF_RANGE;
    }
    r->record = 8u + (uint32_t)values;
    r->slots = length / r->record;
    return values == 0 || r->slots == 0 ? CF_ERR_BAD_LENGTH : CF_OK;
}
