/* Records that the ticks write and the link sends: SUBSCRIBE. */
#include <stddef.h>

#include "list.h"
#include "loop.h"
#include "mem.h"
#include "request.h"

/* In front of the values of a packet: tick, time, drops. */
#define HEAD_LENGTH 12u
#define OVERHEAD (CF_HEADER_LENGTH + HEAD_LENGTH + CF_TRAILER_LENGTH)

int32_t cf_subscribe(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_loop *l = c->loop;
    struct cf_stream *s = &c->stream;
    const uint32_t samples = 4u * c->platform->capacity[CF_CAPACITY_SAMPLES];
    uint32_t *on = &l->program[c->program].telemetry;

    const int32_t status = cf_plan_records(c, f, CF_KEY_SUBSCRIBE_REQ_RING, on, &s->ring);
    if (status == CF_ERR_BUSY) {
        return status; /* and the one before goes on */
    }
    s->on = 0;
    if (status != CF_OK || s->ring.list == 0) {
        return status;
    }
    uint32_t most = samples < OVERHEAD ? 0 : (samples - OVERHEAD) / (s->ring.record - 8u); /* records of a packet */
    if (most > s->ring.slots) {
        most = s->ring.slots;
    }
    s->every = cf_u32(f, CF_KEY_SUBSCRIBE_REQ_EVERY);
    s->batch = cf_u32(f, CF_KEY_SUBSCRIBE_REQ_BATCH);
    if (s->every == 0 || s->batch - 1u >= most) {
        a->detail = most;
        return CF_ERR_BAD_LENGTH;
    }
    s->taken = 0;
    s->seq = 0;
#if !CF_SMALL
    s->left = s->ring.slots;
#endif
    s->on = 1;
    l->telemetry = s->ring;
    l->every = s->every;
    l->written = 0;
    l->taken = 0;
    l->count[CF_LOOP_DROPS] = 0;
    cf_set(on, s->ring.list);
    return CF_OK;
}

uint32_t cf_telemetry(struct cf_core *c, uint8_t *packet) {
    struct cf_loop *l = c->loop;
    struct cf_stream *s = &c->stream;
    const int ticking = c->state == CF_STATE_TICKING;
    uint32_t waiting = cf_get(&l->written) - s->taken;
#if CF_SMALL
    const uint32_t most = s->ring.slots;
#else /* the process of a program may write on when its loop has ended */
    const uint32_t most = ticking ? s->ring.slots : s->left;
#endif
    cf_word *head = (cf_word *)(void *)(packet + CF_HEADER_LENGTH);
    uint8_t *to = (uint8_t *)(head + 3);

    if (waiting < (ticking ? s->batch : 1u) || waiting > most) {
        s->on = ticking && waiting < s->batch; /* after the end that was the rest; more than there can be is not for the host */
        return 0;
    }
    if (waiting > s->batch) {
        waiting = s->batch;
    }
    do {
        const cf_word *record = (const cf_word *)(const void *)(c->platform->live + s->ring.place + s->ring.next * s->ring.record);
        if (to == (uint8_t *)(head + 3)) {
            head[0] = record[0];
            head[1] = record[1];
            head[2] = l->count[CF_LOOP_DROPS];
        } else if (record[0] != s->tick) {
            break; /* there is a gap */
        }
        s->tick = record[0] + s->every;
        memcpy(to, record + 2, s->ring.record - 8u);
        to += s->ring.record - 8u;
        s->taken++;
#if !CF_SMALL
        s->left -= !ticking;
#endif
        s->ring.next++;
        if (s->ring.next == s->ring.slots) {
            s->ring.next = 0;
        }
    } while (--waiting != 0);
    cf_set(&l->taken, s->taken);
    return (uint32_t)(to - packet);
}
