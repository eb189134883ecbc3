/* Records that the ticks write and the link sends: SUBSCRIBE. */
#include <stddef.h>

#include "list.h"
#include "loop.h"
#include "mem.h"
#include "request.h"

/* In front of the values of a packet: tick, time, drops. */
#define HEAD_LENGTH 12u

/* Bytes of values that a packet holds. */
static uint32_t room(const struct cf_platform *p) {
    const uint32_t samples = 4u * p->capacity[CF_CAPACITY_SAMPLES];
    const uint32_t packet = p->capacity[CF_CAPACITY_PACKET];
    const uint32_t least = CF_HEADER_LENGTH + HEAD_LENGTH + CF_TRAILER_LENGTH;
    const uint32_t length = samples < packet ? samples : packet;

    return length < least ? 0 : length - least;
}

void cf_unsubscribe(struct cf_core *c) {
    struct cf_loop *l = c->platform->loop;

    c->stream.on = 0;
    for (uint32_t i = 0; l != NULL && i < CF_PROGRAMS; i++) {
        cf_set(&l->program[i].telemetry, 0);
    }
}

int32_t cf_subscribe(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->platform->loop;
    struct cf_stream *s = &c->stream;
    const uint32_t list = cf_u32(f, CF_KEY_SUBSCRIBE_REQ_LIST);

    if (c->state != CF_STATE_TICKING) {
        return CF_ERR_BAD_STATE;
    }
    if (c->swapping) {
        return CF_ERR_BUSY;
    }
    cf_unsubscribe(c);
    int32_t status = cf_quiet(c);
    if (status != CF_OK || list == 0) {
        return status;
    }
    status = cf_plan_records(c, &s->ring, list, cf_u32(f, CF_KEY_SUBSCRIBE_REQ_RING), cf_u32(f, CF_KEY_SUBSCRIBE_REQ_LENGTH));
    if (status != CF_OK) {
        return status;
    }
    s->every = cf_u32(f, CF_KEY_SUBSCRIBE_REQ_EVERY);
    s->batch = cf_u32(f, CF_KEY_SUBSCRIBE_REQ_BATCH);
    const uint32_t most = room(c->platform) / (s->ring.record - 8u);
    if (s->every == 0 || s->batch == 0 || s->batch > most || s->batch > s->ring.slots) {
        a->detail = most;
        return CF_ERR_BAD_LENGTH;
    }
    s->taken = 0;
    s->seq = 0;
    s->on = 1;
    l->telemetry = s->ring;
    l->every = s->every;
    l->written = 0;
    l->taken = 0;
    l->count[CF_LOOP_DROPS] = 0;
    cf_set(&l->program[c->program].telemetry, list);
    return CF_OK;
}

uint32_t cf_telemetry(struct cf_core *c, uint8_t *packet) {
    struct cf_loop *l = c->platform->loop;
    struct cf_stream *s = &c->stream;
    const uint32_t values = s->ring.record - 8u;
    uint32_t waiting = cf_get(&l->written) - s->taken;
    cf_word *head = (cf_word *)(void *)(packet + CF_HEADER_LENGTH);
    uint8_t *to = packet + CF_HEADER_LENGTH + HEAD_LENGTH;

    if (c->state != CF_STATE_TICKING && waiting == 0) {
        s->on = 0; /* that was the rest */
    }
    if (waiting == 0 || (c->state == CF_STATE_TICKING && waiting < s->batch)) {
        return 0;
    }
    if (waiting > s->batch) {
        waiting = s->batch;
    }
    for (uint32_t n = 0; n < waiting; n++) {
        const cf_word *record = (const cf_word *)(const void *)(c->platform->live + s->ring.place + s->ring.next * s->ring.record);
        if (n == 0) {
            head[0] = record[0];
            head[1] = record[1];
            head[2] = l->count[CF_LOOP_DROPS];
        } else if (record[0] != head[0] + n * s->every) {
            break; /* there is a gap */
        }
        memcpy(to, record + 2, values);
        to += values;
        s->taken++;
        s->ring.next++;
        if (s->ring.next == s->ring.slots) {
            s->ring.next = 0;
        }
    }
    cf_set(&l->taken, s->taken);
    return (uint32_t)(to - packet);
}
