/* Programs that are stored on the board: STORE, and the start of the runner. */
#include "store.h"

#include <stddef.h>

#include "digest.h"
#include "mem.h"
#include "request.h"

#if CF_HAS_STORE

#if CF_SMALL && !__STDC_HOSTED__
#define MEMORY(c) ((void)(c), &cf_hal_store_memory) /* a constant, which saves 300 bytes */
#else
#define MEMORY(c) ((c)->platform->store)
#endif

#define FROM_SEQUENCE 20u /* bytes of a header, which STORE answers in the same order */
_Static_assert(offsetof(struct cf_stored, check) - offsetof(struct cf_stored, sequence) == FROM_SEQUENCE
                   && sizeof((struct cf_store *)NULL)->told == 48,
               "as SPEC.md has it");

static const struct cf_stored *slot(const struct cf_core *c, uint32_t i) {
    return (const struct cf_stored *)(const void *)(MEMORY(c)->slots + i * MEMORY(c)->length);
}

/* The slot that is not the current one. */
CF_STORE_CODE static const struct cf_stored *other(const struct cf_core *c) {
    return slot(c, c->store.current == slot(c, 0));
}

/* Whether there is room for so many bytes of records, one at least. */
static int has_room(const struct cf_core *c, uint32_t length) {
    return length - 1u < MEMORY(c)->length - MEMORY(c)->first;
}

CF_STORE_CODE static uint64_t digest_of(const struct cf_core *c, const struct cf_stored *h, uint32_t length) {
    return cf_digest(CF_DIGEST_EMPTY, (const uint8_t *)h + MEMORY(c)->first, length);
}

CF_STORE_CODE static uint64_t check_of(const struct cf_stored *h) {
    return cf_digest(CF_DIGEST_EMPTY, h, offsetof(struct cf_stored, check));
}

CF_STORE_CODE static int is_valid(const struct cf_core *c, const struct cf_stored *h) {
    return h->magic == CF_STORE_MAGIC && check_of(h) == h->check && has_room(c, h->length) && digest_of(c, h, h->length) == h->digest;
}

/* From now on this one is the current one, or if it is NULL none. */
CF_STORE_CODE static void choose(struct cf_core *c, const struct cf_stored *h, uint32_t state) {
    memset(&c->store.told.state, 0, sizeof c->store.told - offsetof(__typeof__(c->store.told), state));
    c->store.current = slot(c, 1);
    if (h != NULL) {
        c->store.current = h;
        c->store.told.state = state;
        memcpy(&c->store.told.sequence, &h->sequence, FROM_SEQUENCE);
    }
}

CF_STORE_CODE static void find(struct cf_core *c) {
    const struct cf_stored *best = NULL;

    for (uint32_t i = 0; i < 2; i++) {
        const struct cf_stored *h = slot(c, i);
        if (is_valid(c, h) && (best == NULL || (int32_t)(h->sequence - best->sequence) > 0)) {
            best = h;
        }
    }
    choose(c, best, CF_STORED_HELD);
}

/* Writes, or erases a page where bytes is NULL, and looks whether it has come about. */
CF_STORE_CODE static int32_t change(const struct cf_core *c, const void *to, const uint8_t *bytes, uint32_t n) {
    const volatile uint8_t *at = to;
    const uint32_t offset = (uint32_t)((const uint8_t *)to - MEMORY(c)->slots);

    if (bytes != NULL) {
        cf_hal_store_write(offset, bytes, n);
    } else {
        cf_hal_store_erase(offset);
    }
    for (; n > 0; n--) {
        if (*at++ != (bytes != NULL ? *bytes++ : 0xffu)) {
            return CF_ERR_NOT_STORED;
        }
    }
    return CF_OK;
}

CF_STORE_CODE static int32_t commit(struct cf_core *c, const struct cf_field *f) {
    const struct cf_stored *h = other(c);
    struct cf_stored next = {
        CF_STORE_MAGIC, c->store.told.sequence + 1u, cf_u32(f, CF_KEY_STORE_REQ_FLAGS), cf_u32(f, CF_KEY_STORE_REQ_LENGTH), 0, 0,
    };

    if (cf_u32(f, CF_KEY_STORE_REQ_BYTES) != sizeof next.digest || !has_room(c, next.length)) {
        return CF_ERR_BAD_LENGTH;
    }
    if ((next.flags & ~CF_STORE_AUTOSTART) != 0) {
        return CF_ERR_UNSUPPORTED;
    }
    memcpy(&next.digest, f[CF_KEY_STORE_REQ_BYTES].at, sizeof next.digest);
    if (next.digest != digest_of(c, h, next.length)) {
        return CF_ERR_DIGEST_MISMATCH;
    }
    next.check = check_of(&next);
    const int32_t status = change(c, h, (const uint8_t *)&next, sizeof next);
    if (status == CF_OK) {
        choose(c, h, CF_STORED_NEXT);
    }
    return status;
}

/* The older one first, so that until the end there is one of the two or none. Slots that cannot be valid stay as they are. */
CF_STORE_CODE static int32_t clear(struct cf_core *c) {
    const struct cf_stored *h = other(c);

    for (uint32_t i = 0; i < 2; i++) {
        if (h->magic == CF_STORE_MAGIC && change(c, h, NULL, MEMORY(c)->page) != CF_OK) {
            return CF_ERR_NOT_STORED;
        }
        h = c->store.current;
    }
    choose(c, NULL, CF_STORED_NONE);
    return CF_OK;
}

/* Erases a page of the slot that is not the current one, or writes bytes of it behind its header. */
CF_STORE_CODE static int32_t prepare(const struct cf_core *c, const struct cf_field *f, int erasing) {
    const uint32_t offset = cf_u32(f, CF_KEY_STORE_REQ_OFFSET);
    const uint32_t n = erasing ? MEMORY(c)->page : cf_u32(f, CF_KEY_STORE_REQ_BYTES);
    const uint32_t least = erasing ? 0 : MEMORY(c)->first;
    const uint32_t grain = erasing ? MEMORY(c)->page : MEMORY(c)->unit;

    if (((offset | n) & (grain - 1u)) != 0 || !cf_within(offset - least, n, MEMORY(c)->length - least)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    return change(c, (const uint8_t *)other(c) + offset, erasing ? NULL : f[CF_KEY_STORE_REQ_BYTES].at, n);
}

CF_STORE_CODE static int32_t act(struct cf_core *c, const struct cf_field *f) {
    const uint32_t action = cf_u32(f, CF_KEY_STORE_REQ_ACTION);

    if (action == CF_STORE_LOOK) {
        return CF_OK;
    }
    if (c->state == CF_STATE_TICKING) { /* the processor stands still meanwhile */
        return CF_ERR_BAD_STATE;
    }
    if (action <= CF_STORE_WRITE) {
        return prepare(c, f, action == CF_STORE_ERASE);
    }
    return action == CF_STORE_COMMIT ? commit(c, f) : action == CF_STORE_CLEAR ? clear(c) : CF_ERR_BAD_MESSAGE;
}

CF_STORE_CODE int32_t cf_store(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const int32_t status = cf_has_store(c) ? act(c, f) : CF_ERR_UNSUPPORTED;

    if (status == CF_OK) {
        cf_key_bytes(a, &c->store.told, sizeof c->store.told);
    }
    return status;
}

/* The records of the current slot. */
static const uint8_t *records(const struct cf_core *c) {
    return (const uint8_t *)c->store.current + MEMORY(c)->first;
}

CF_STORE_CODE int32_t cf_store_read(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const uint32_t offset = cf_u32(f, CF_KEY_READ_REQ_OFFSET);
    const uint32_t n = cf_u32(f, CF_KEY_READ_REQ_LENGTH);

    if (!cf_has_store(c) || !cf_within(offset, n, c->store.told.length)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    cf_key_bytes(a, records(c) + offset, n);
    return CF_OK;
}

/* Carries out the records. Returns the status of the one that ended that. */
CF_STORE_CODE static int32_t replay(struct cf_core *c) {
    uint32_t left = c->store.told.length;
    const uint8_t *record = records(c);

    while (left >= 2) {
        const uint32_t n = record[0] | (uint32_t)record[1] << 8;
        record += 2;
        left -= 2;
        if (n == 0) {
            break;
        }
        c->store.told.record++;
        const int32_t status = n > left ? CF_ERR_BAD_LENGTH : cf_replay(c, record, n, c->store.told.flags);
        if (status != CF_OK) {
            return status;
        }
        record += n;
        left -= n;
    }
    return CF_LATER;
}

CF_STORE_CODE void cf_store_start(struct cf_core *c) {
    if (!cf_has_store(c)) {
        return;
    }
    memcpy(c->store.told.memory, MEMORY(c), sizeof c->store.told.memory);
    find(c);
    if (c->store.told.length == 0 || c->failure.fault.kind != 0 || cf_hal_store_held()) {
        return;
    }
    const int32_t status = replay(c);
    if (status == CF_LATER) {
        c->store.told.state = CF_STORED_DONE;
        c->store.told.record = 0;
        return;
    }
    c->store.told.state = CF_STORED_REFUSED;
    c->store.told.refusal = 0u - (uint32_t)status;
    cf_follow_loop(c, CF_LOOP_END_STOPPED);
    (void)cf_drop(c, NULL, NULL);
}

#endif
