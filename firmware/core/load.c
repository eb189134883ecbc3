/* Loading an image: BEGIN, CHUNK, SEAL, DROP. */
#include "digest.h"
#include "mem.h"
#include "patch.h"
#include "request.h"

/* Digests cover u32 of little endian, which is how they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "what was announced is hashed as it is");

/* What these requests are about, and its state. */
static struct cf_image *loaded(struct cf_core *c, uint8_t **state) {
#if CF_HAS_SWAP
    *state = c->load_state;
    return c->load;
#else
    *state = &c->state;
    return &c->image[0];
#endif
}

static int32_t read_entries(struct cf_image *m, struct cf_reader r, struct cf_answer *a) {
    for (uint32_t i = 0; i < m->announced[CF_IMAGE_ENTRIES]; i++) {
        struct cf_field offset;
        (void)cf_cbor_head(&r, &offset); /* all of them are numbers */
        const uint32_t entry = offset.value;
        if (entry >= m->announced[CF_IMAGE_CODE]) {
            a->detail = entry;
            return CF_ERR_OUT_OF_RANGE;
        }
        m->announced[CF_IMAGE_ENTRY + i] = entry;
    }
    return CF_OK;
}

int32_t cf_drop(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint8_t *state;
    struct cf_image *m = loaded(c, &state);

    (void)f;
    (void)a;
    if (c->swapping || *state == CF_STATE_TICKING) { /* where there are no swaps there is no place beside */
        return c->swapping ? CF_ERR_BUSY : CF_ERR_BAD_STATE;
    }
    if (c->state != CF_STATE_TICKING) {
        cf_hal_unload();
        c->looped = 0;
        c->stream.on = 0;
    }
    *state = CF_STATE_IDLE;
    memset(m, 0, sizeof *m);
    return CF_OK;
}

/* Where an image's code or data begin: at the start of their memory, or behind what the program that runs has of it if they do not
 * fit in front of that. Returns NULL if they do not fit at all, and sets *left to the bytes there. */
static uint8_t *place(uint8_t *memory, uint32_t capacity, const uint8_t *used, uint32_t used_length, uint32_t length, uint32_t *left) {
    const uint32_t before = used == NULL ? capacity : (uint32_t)(used - memory);
    uint32_t at = 0;

    if (used != NULL && length > before) {
        at = (before + used_length + CF_HAL_ALIGN - 1u) & ~(CF_HAL_ALIGN - 1u);
        at = at > capacity ? capacity : at;
    }
    *left = capacity - at;
    return length > *left ? NULL : memory + at;
}

/* old is the image of the program that runs, all zero if there is none. */
__attribute__((noinline)) static int32_t begin(struct cf_image *m, const struct cf_image *old, const struct cf_platform *p, const struct cf_field *f, struct cf_answer *a) {
    static const uint8_t length_of[] = {
        [CF_REGION_CODE] = CF_IMAGE_CODE, [CF_REGION_DATA] = CF_IMAGE_DATA, [CF_REGION_PATCHES] = CF_IMAGE_PATCHES,
    };
    uint32_t *word = m->announced;

    for (uint32_t key = CF_KEY_BEGIN_REQ_ARCH; key <= CF_KEY_BEGIN_REQ_ENTRIES; key++) {
        *word++ = cf_u32(f, key);
        if (key == CF_KEY_BEGIN_REQ_FEATURES) {
            *word++ = f[key].high;
        }
    }
    a->detail = p->arch;
    if (m->announced[CF_IMAGE_ARCH] != p->arch) {
        return CF_ERR_WRONG_ARCH;
    }
    a->detail = m->announced[CF_IMAGE_FEATURES_LOW] & ~p->features;
    if ((a->detail | m->announced[CF_IMAGE_FEATURES_HIGH]) != 0) {
        return CF_ERR_MISSING_FEATURE;
    }
    uint32_t length;
    if (__builtin_add_overflow(m->announced[CF_IMAGE_DATA], m->announced[CF_IMAGE_BSS], &length)
        || __builtin_add_overflow(length, m->announced[CF_IMAGE_PATCHES], &length)) {
        length = UINT32_MAX; /* more than there is */
    }
    uint8_t *code = place(p->code_write, p->capacity[CF_CAPACITY_CODE], old->region[CF_REGION_CODE].bytes, old->announced[CF_IMAGE_CODE],
                          m->announced[CF_IMAGE_CODE], &a->detail);
    if (code == NULL) {
        return CF_ERR_NO_MEMORY;
    }
    uint8_t *data = place(p->data, p->capacity[CF_CAPACITY_DATA], old->region[CF_REGION_DATA].bytes, old->space.data_length, length, &a->detail);
    if (data == NULL) {
        return CF_ERR_NO_MEMORY;
    }
    a->detail = 0;
    if (m->announced[CF_IMAGE_CODE] == 0 || m->announced[CF_IMAGE_ENTRIES] - 1u >= CF_MAX_ENTRIES
        || cf_u32(f, CF_KEY_BEGIN_REQ_DIGEST) != CF_DIGEST_LENGTH) {
        return CF_ERR_BAD_LENGTH;
    }
    const struct cf_reader entries = {f[CF_KEY_BEGIN_REQ_ENTRIES].at, f[CF_KEY_BEGIN_REQ_DIGEST].at};
    int32_t status = read_entries(m, entries, a);
    if (status != CF_OK) {
        return status;
    }
    memcpy(&m->digest, f[CF_KEY_BEGIN_REQ_DIGEST].at, CF_DIGEST_LENGTH);
    memset(code, 0, m->announced[CF_IMAGE_CODE]);
    memset(data, 0, length);
    m->region[CF_REGION_CODE].bytes = code;
    m->region[CF_REGION_DATA].bytes = data;
    m->code = p->code_exec + (uintptr_t)(code - p->code_write);
    m->space = (struct cf_space){p->live, data, p->capacity[CF_CAPACITY_LIVE], m->announced[CF_IMAGE_DATA] + m->announced[CF_IMAGE_BSS]};
    m->region[CF_REGION_PATCHES].bytes = data + m->space.data_length;
    for (uint32_t i = CF_REGION_CODE; i <= CF_REGION_PATCHES; i++) {
        m->region[i].length = m->announced[length_of[i]];
        m->missing += m->region[i].length; /* they fit the memory together */
    }
    return CF_OK;
}

int32_t cf_begin(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    static const struct cf_image none;
    uint8_t *state;
    struct cf_image *m = loaded(c, &state);
    int32_t status = cf_drop(c, f, a);

    if (status != CF_OK) {
        return status;
    }
    if (c->state != CF_STATE_TICKING) {
        c->failure.fault.kind = 0;
        c->job.runs.ended = 0; /* no samples */
    }
    status = begin(m, c->state != CF_STATE_TICKING ? &none : &c->image[0], c->platform, f, a);
    if (status == CF_OK) {
        *state = CF_STATE_LOADING;
    }
    return status;
}

int32_t cf_chunk(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const uint32_t region = cf_u32(f, CF_KEY_CHUNK_REQ_REGION);
    const uint32_t offset = cf_u32(f, CF_KEY_CHUNK_REQ_OFFSET);
    const uint32_t n = cf_u32(f, CF_KEY_CHUNK_REQ_BYTES);
    uint8_t *state;
    struct cf_image *m = loaded(c, &state);

    a->detail = offset;
    if (*state != CF_STATE_LOADING) {
        return CF_ERR_BAD_STATE;
    }
    if (region > CF_REGION_PATCHES || !cf_within(offset, n, m->region[region].length)) {
        return CF_ERR_OUT_OF_RANGE;
    }
    memcpy(m->region[region].bytes + offset, f[CF_KEY_CHUNK_REQ_BYTES].at, n);
    m->missing -= n < m->missing ? n : m->missing;
    return CF_OK;
}

/* The digest of what is in memory, as SPEC.md defines it. */
static uint64_t digest_of(const struct cf_image *m) {
    uint64_t digest = cf_digest(CF_DIGEST_EMPTY, m->announced, 4u * (CF_IMAGE_ENTRY + m->announced[CF_IMAGE_ENTRIES]));

    for (uint32_t i = CF_REGION_CODE; i <= CF_REGION_PATCHES; i++) {
        digest = cf_digest(digest, m->region[i].bytes, m->region[i].length);
    }
    return digest;
}

static int32_t apply_patches(const struct cf_platform *p, const struct cf_image *m, uint32_t *detail) {
    const struct cf_patch_map map = {
        .region = {
            {m->region[CF_REGION_CODE].bytes, m->code, m->announced[CF_IMAGE_CODE] + 1u},
            {m->space.data, (uintptr_t)m->space.data, m->space.data_length + 1u},
            {.targets = p->service_count},
        },
        .services = p->services,
    };

    return cf_patch_apply(&map, m->region[CF_REGION_PATCHES].bytes, m->region[CF_REGION_PATCHES].length, detail);
}

/* An image with missing bytes stays in loading, so that they can still come; any other error ends in idle. */
int32_t cf_seal(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    uint8_t *state;
    const struct cf_image *m = loaded(c, &state);

    (void)f;
    if (*state != CF_STATE_LOADING) {
        return CF_ERR_BAD_STATE;
    }
    a->detail = m->missing;
    if (a->detail != 0) {
        return CF_ERR_INCOMPLETE;
    }
    *state = CF_STATE_IDLE;
    if (digest_of(m) != m->digest) {
        return CF_ERR_DIGEST_MISMATCH;
    }
    int32_t status = apply_patches(c->platform, m, &a->detail);
    if (status == CF_OK) {
        cf_hal_sync_code((uint32_t)(m->code - c->platform->code_exec), m->announced[CF_IMAGE_CODE]);
        *state = CF_STATE_READY;
    }
    return status;
}
