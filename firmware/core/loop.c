/* What the requests about the loop have in common. */
#include "loop.h"

#include <stddef.h>

#include "list.h"
#include "request.h"

uint32_t cf_data_length(const struct cf_image *m) {
    return m->announced[CF_IMAGE_DATA] + m->announced[CF_IMAGE_BSS];
}

const struct cf_image *cf_current(const struct cf_core *c) {
#if CF_HAS_SWAP
    if (c->swapping) {
        const uint32_t state = cf_get(&c->platform->loop->count[CF_LOOP_SWAP_STATE]);
        if (state == CF_SWAP_TRIAL || state == CF_SWAP_KEPT) {
            return &c->image[1];
        }
    }
#endif
    return &c->image[0];
}

struct cf_space cf_space(const struct cf_core *c, const struct cf_image *m) {
    const struct cf_platform *p = c->platform;

    return (struct cf_space){p->live, m->region[CF_REGION_DATA].bytes, p->capacity[CF_CAPACITY_LIVE], cf_data_length(m)};
}

/* 1 ms: longer than what is left of most ticks, and not so long that much is received meanwhile. */
#define PATIENCE_SHIFT 10

int32_t cf_steady(struct cf_core *c, const struct cf_field *f, struct cf_answer *a, cf_request *write) {
    const struct cf_loop *l = c->platform->loop;
    const struct cf_answer start = *a;
    const uint64_t most = cf_hal_ticks() + (cf_hal_timer_hz() >> PATIENCE_SHIFT);

    do {
        const uint32_t before = cf_get(&l->sequence);
        if (before % 2u == 0) {
            const int32_t status = write(c, f, a);
            cf_fence();
            if (cf_get(&l->sequence) == before) {
                return status;
            }
            *a = start;
        }
    } while (cf_hal_ticks() < most);
    return CF_ERR_BUSY;
}

static int32_t nothing(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    (void)c, (void)f, (void)a;
    return CF_OK;
}

int32_t cf_quiet(struct cf_core *c) {
    struct cf_answer none;

    none.key = 0;
    return cf_steady(c, NULL, &none, nothing);
}

int32_t cf_read_tasks(const struct cf_core *c, const struct cf_image *m, struct cf_program *program, const struct cf_field *tasks,
                      struct cf_answer *a) {
    const struct cf_platform *p = c->platform;
    const uintptr_t code = p->code_exec + (uintptr_t)(m->region[CF_REGION_CODE].bytes - p->code_write);
    struct cf_reader r = {tasks->at, tasks[1].at}; /* that of the key behind, which is there */

    const uint32_t count = tasks->value / 2u;
    if (tasks->value % 2u != 0 || count - 1u >= CF_MAX_ENTRIES) {
        return CF_ERR_BAD_LENGTH;
    }
    program->count = count;
    for (struct cf_task *t = program->task; t < program->task + count; t++) {
        struct cf_field entry;
        struct cf_field divisor;
        if (cf_cbor_head(&r, &entry) != 0 || entry.type != CF_CBOR_UINT || cf_cbor_head(&r, &divisor) != 0 || divisor.type != CF_CBOR_UINT) {
            return CF_ERR_BAD_MESSAGE;
        }
        a->detail = entry.value;
        if (entry.value >= m->announced[CF_IMAGE_ENTRIES]) {
            return CF_ERR_OUT_OF_RANGE;
        }
        a->detail = 0;
        if (divisor.value == 0) {
            return CF_ERR_BAD_LENGTH;
        }
        *t = (struct cf_task){code + m->announced[CF_IMAGE_ENTRY + entry.value], divisor.value, entry.value};
    }
    return CF_OK;
}

int32_t cf_plan_records(const struct cf_core *c, struct cf_records *r, uint32_t list, uint32_t place, uint32_t length) {
    const struct cf_space s = cf_space(c, cf_current(c));
    const int32_t values = cf_list(&s, list, place, length, CF_LIST_CHECK);

    if (values < 0 || cf_live_at(&s, place, length) == NULL) {
        return CF_ERR_OUT_OF_RANGE;
    }
    r->place = place;
    r->record = 8u + (uint32_t)values;
    r->slots = length / r->record;
    r->next = 0;
    return values == 0 || r->slots == 0 ? CF_ERR_BAD_LENGTH : CF_OK;
}
