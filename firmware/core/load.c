/* Loading an image: BEGIN, CHUNK, SEAL, DROP. */
#include "bytes.h"
#include "mem.h"
#include "patch.h"
#include "request.h"
#include "sha256.h"

/* Where a region's bytes are written. */
static uint8_t *region_bytes(const struct cf_core *c, uint32_t region) {
    switch (region) {
    case CF_REGION_CODE:
        return c->platform->code_write;
    case CF_REGION_DATA:
        return c->platform->data;
    default:
        return c->platform->data + cf_data_length(c);
    }
}

static int32_t read_entries(struct cf_image *m, const struct cf_field *f, struct cf_answer *a) {
    struct cf_reader r = {f->at, f->end};

    uint32_t count = cf_u32(f, 0);
    if (count == 0 || count > CF_MAX_ENTRIES) {
        return CF_ERR_BAD_LENGTH;
    }
    m->entry_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct cf_field offset;
        if (cf_cbor_head(&r, &offset) != 0 || offset.type != CF_CBOR_UINT || offset.value > UINT32_MAX) {
            return CF_ERR_BAD_MESSAGE;
        }
        m->entry[i] = cf_u32(&offset, 0);
        if (m->entry[i] >= m->length[CF_REGION_CODE]) {
            return cf_detail(a, CF_ERR_OUT_OF_RANGE, m->entry[i]);
        }
    }
    return CF_OK;
}

_Static_assert(CF_KEY_BEGIN_REQ_BSS_LENGTH == CF_KEY_BEGIN_REQ_DATA_LENGTH + 1
                   && CF_KEY_BEGIN_REQ_PATCH_LENGTH == CF_KEY_BEGIN_REQ_BSS_LENGTH + 1,
               "what takes data memory is summed up key by key");

int32_t cf_begin(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const struct cf_platform *p = c->platform;
    struct cf_image *m = &c->image;
    uint64_t missing = f[CF_KEY_BEGIN_REQ_FEATURES].value & ~p->features;
    uint32_t code_length = cf_u32(f, CF_KEY_BEGIN_REQ_CODE_LENGTH);
    uint32_t data_left = p->data_size;

    c->state = CF_STATE_IDLE;
    c->fault.present = 0;
    c->samples = 0;
    memset(m, 0, sizeof *m);

    if (cf_u32(f, CF_KEY_BEGIN_REQ_ARCH) != p->arch) {
        return cf_detail(a, CF_ERR_WRONG_ARCH, p->arch);
    }
    if (missing != 0) {
        return cf_detail(a, CF_ERR_MISSING_FEATURE, (uint32_t)missing);
    }
    if (code_length > p->code_size) {
        return cf_detail(a, CF_ERR_NO_MEMORY, p->code_size);
    }
    for (uint32_t key = CF_KEY_BEGIN_REQ_DATA_LENGTH; key <= CF_KEY_BEGIN_REQ_PATCH_LENGTH; key++) {
        if (cf_u32(f, key) > data_left) {
            return cf_detail(a, CF_ERR_NO_MEMORY, p->data_size);
        }
        data_left -= cf_u32(f, key);
    }
    if (code_length == 0 || cf_u32(f, CF_KEY_BEGIN_REQ_DIGEST) != CF_DIGEST_LENGTH) {
        return CF_ERR_BAD_LENGTH;
    }
    m->features[0] = (uint32_t)f[CF_KEY_BEGIN_REQ_FEATURES].value;
    m->features[1] = (uint32_t)(f[CF_KEY_BEGIN_REQ_FEATURES].value >> 32);
    m->length[CF_REGION_CODE] = code_length;
    m->length[CF_REGION_DATA] = cf_u32(f, CF_KEY_BEGIN_REQ_DATA_LENGTH);
    m->length[CF_REGION_PATCHES] = cf_u32(f, CF_KEY_BEGIN_REQ_PATCH_LENGTH);
    m->bss_length = cf_u32(f, CF_KEY_BEGIN_REQ_BSS_LENGTH);
    int32_t status = read_entries(m, &f[CF_KEY_BEGIN_REQ_ENTRIES], a);
    if (status != CF_OK) {
        return status;
    }
    memcpy(m->digest, f[CF_KEY_BEGIN_REQ_DIGEST].at, CF_DIGEST_LENGTH);
    memset(p->code_write, 0, m->length[CF_REGION_CODE]);
    memset(p->data, 0, p->data_size - data_left);
    c->state = CF_STATE_LOADING;
    return CF_OK;
}

static int32_t store_chunk(struct cf_core *c, const struct cf_field *f, uint32_t *detail) {
    uint32_t region = cf_u32(f, CF_KEY_CHUNK_REQ_REGION);
    uint32_t offset = cf_u32(f, CF_KEY_CHUNK_REQ_OFFSET);
    uint32_t n = cf_u32(f, CF_KEY_CHUNK_REQ_BYTES);
    struct cf_image *m = &c->image;

    *detail = offset;
    if (c->state != CF_STATE_LOADING) {
        return CF_ERR_BAD_STATE;
    }
    if (region > CF_REGION_PATCHES || offset > m->length[region] || n > m->length[region] - offset) {
        return CF_ERR_OUT_OF_RANGE;
    }
    if (n == 0) {
        return CF_ERR_BAD_LENGTH;
    }
    memcpy(region_bytes(c, region) + offset, f[CF_KEY_CHUNK_REQ_BYTES].at, n);
    uint32_t missing = m->length[region] - m->received[region];
    m->received[region] += n < missing ? n : missing;
    return CF_OK;
}

/* Returns only the first error since BEGIN; what comes after an error is not stored. */
int32_t cf_chunk(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_image *m = &c->image;
    uint32_t detail;

    if (m->chunk_status != CF_OK) {
        return CF_OK;
    }
    m->chunk_status = store_chunk(c, f, &detail);
    m->chunk_detail = detail;
    return m->chunk_status == CF_OK ? CF_OK : cf_detail(a, m->chunk_status, detail);
}

static void hash_word(struct cf_sha256 *s, uint32_t word) {
    uint8_t bytes[4];

    cf_store32(bytes, word);
    cf_sha256_update(s, bytes, sizeof bytes);
}

/* The digest of what is in memory, as SPEC.md defines it. */
static void digest(const struct cf_core *c, uint8_t out[CF_DIGEST_LENGTH]) {
    static const uint8_t magic[5] = {'c', 'o', 'p', 'a', '1'};
    const struct cf_image *m = &c->image;
    const uint32_t head[] = {
        c->platform->arch, m->features[0], m->features[1], m->length[CF_REGION_CODE],
        m->length[CF_REGION_DATA], m->bss_length, m->length[CF_REGION_PATCHES], m->entry_count,
    };
    struct cf_sha256 s;

    cf_sha256_init(&s);
    cf_sha256_update(&s, magic, sizeof magic);
    for (uint32_t i = 0; i < sizeof head / sizeof head[0]; i++) {
        hash_word(&s, head[i]);
    }
    for (uint32_t i = 0; i < m->entry_count; i++) {
        hash_word(&s, m->entry[i]);
    }
    for (uint32_t region = CF_REGION_CODE; region <= CF_REGION_PATCHES; region++) {
        cf_sha256_update(&s, region_bytes(c, region), m->length[region]);
    }
    cf_sha256_final(&s, out);
}

static int32_t apply_patches(const struct cf_core *c, uint32_t *detail) {
    const struct cf_platform *p = c->platform;
    const struct cf_patch_map map = {
        .region = {
            {p->code_write, p->code_exec, c->image.length[CF_REGION_CODE]},
            {p->data, (uintptr_t)p->data, cf_data_length(c)},
        },
        .services = p->services,
        .service_count = p->service_count,
    };

    return cf_patch_apply(&map, region_bytes(c, CF_REGION_PATCHES), c->image.length[CF_REGION_PATCHES], detail);
}

/* An image with missing bytes stays in loading, so that they can still come; any other error ends in idle. */
int32_t cf_seal(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    struct cf_image *m = &c->image;
    uint8_t found[CF_DIGEST_LENGTH];
    uint32_t missing = 0;
    uint32_t detail;

    (void)f;
    if (c->state != CF_STATE_LOADING) {
        return CF_ERR_BAD_STATE;
    }
    if (m->chunk_status != CF_OK) {
        c->state = CF_STATE_IDLE;
        return cf_detail(a, m->chunk_status, m->chunk_detail);
    }
    for (uint32_t region = CF_REGION_CODE; region <= CF_REGION_PATCHES; region++) {
        missing += m->length[region] - m->received[region];
    }
    if (missing > 0) {
        return cf_detail(a, CF_ERR_INCOMPLETE, missing);
    }
    c->state = CF_STATE_IDLE;
    digest(c, found);
    if (memcmp(found, m->digest, sizeof found) != 0) {
        return CF_ERR_DIGEST_MISMATCH;
    }
    int32_t status = apply_patches(c, &detail);
    if (status != CF_OK) {
        return cf_detail(a, status, detail);
    }
    cf_hal_sync_code(0, m->length[CF_REGION_CODE]);
    c->state = CF_STATE_READY;
    return CF_OK;
}

int32_t cf_drop(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    (void)f;
    (void)a;
    c->state = CF_STATE_IDLE;
    c->samples = 0;
    memset(&c->image, 0, sizeof c->image);
    return CF_OK;
}
