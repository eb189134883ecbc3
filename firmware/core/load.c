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

    if (f->value == 0 || f->value > CF_MAX_ENTRIES) {
        return CF_ERR_BAD_LENGTH;
    }
    m->entry_count = (uint32_t)f->value;
    for (uint32_t i = 0; i < m->entry_count; i++) {
        uint8_t type;
        uint64_t offset;
        if (cf_cbor_head(&r, &type, &offset) != 0 || type != CF_CBOR_UINT || offset > UINT32_MAX) {
            return CF_ERR_BAD_MESSAGE;
        }
        if (offset >= m->length[CF_REGION_CODE]) {
            return cf_detail(a, CF_ERR_OUT_OF_RANGE, (uint32_t)offset);
        }
        m->entry[i] = (uint32_t)offset;
    }
    return CF_OK;
}

int32_t cf_begin(struct cf_core *c, const struct cf_field *f, struct cf_answer *a) {
    const struct cf_platform *p = c->platform;
    struct cf_image *m = &c->image;
    uint64_t missing = f[CF_KEY_BEGIN_REQ_FEATURES].value & ~p->features;
    uint64_t data_total = f[CF_KEY_BEGIN_REQ_DATA_LENGTH].value + f[CF_KEY_BEGIN_REQ_BSS_LENGTH].value
                          + f[CF_KEY_BEGIN_REQ_PATCH_LENGTH].value;

    c->state = CF_STATE_IDLE;
    c->fault.present = 0;
    c->samples = 0;
    memset(m, 0, sizeof *m);

    if (f[CF_KEY_BEGIN_REQ_ARCH].value != p->arch) {
        return cf_detail(a, CF_ERR_WRONG_ARCH, p->arch);
    }
    if (missing != 0) {
        return cf_detail(a, CF_ERR_MISSING_FEATURE, (uint32_t)missing);
    }
    if (f[CF_KEY_BEGIN_REQ_CODE_LENGTH].value > p->code_size) {
        return cf_detail(a, CF_ERR_NO_MEMORY, p->code_size);
    }
    if (data_total > p->data_size) {
        return cf_detail(a, CF_ERR_NO_MEMORY, p->data_size);
    }
    if (f[CF_KEY_BEGIN_REQ_CODE_LENGTH].value == 0 || f[CF_KEY_BEGIN_REQ_DIGEST].value != CF_DIGEST_LENGTH) {
        return CF_ERR_BAD_LENGTH;
    }
    m->features[0] = (uint32_t)f[CF_KEY_BEGIN_REQ_FEATURES].value;
    m->features[1] = (uint32_t)(f[CF_KEY_BEGIN_REQ_FEATURES].value >> 32);
    m->length[CF_REGION_CODE] = (uint32_t)f[CF_KEY_BEGIN_REQ_CODE_LENGTH].value;
    m->length[CF_REGION_DATA] = (uint32_t)f[CF_KEY_BEGIN_REQ_DATA_LENGTH].value;
    m->length[CF_REGION_PATCHES] = (uint32_t)f[CF_KEY_BEGIN_REQ_PATCH_LENGTH].value;
    m->bss_length = (uint32_t)f[CF_KEY_BEGIN_REQ_BSS_LENGTH].value;
    int32_t status = read_entries(m, &f[CF_KEY_BEGIN_REQ_ENTRIES], a);
    if (status != CF_OK) {
        return status;
    }
    memcpy(m->digest, f[CF_KEY_BEGIN_REQ_DIGEST].at, CF_DIGEST_LENGTH);
    memset(p->code_write, 0, m->length[CF_REGION_CODE]);
    memset(p->data, 0, (size_t)data_total);
    c->state = CF_STATE_LOADING;
    return CF_OK;
}

static int32_t store_chunk(struct cf_core *c, const struct cf_field *f, uint32_t *detail) {
    uint64_t region = f[CF_KEY_CHUNK_REQ_REGION].value;
    uint32_t offset = (uint32_t)f[CF_KEY_CHUNK_REQ_OFFSET].value;
    uint64_t n = f[CF_KEY_CHUNK_REQ_BYTES].value;
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
    memcpy(region_bytes(c, (uint32_t)region) + offset, f[CF_KEY_CHUNK_REQ_BYTES].at, (size_t)n);
    uint32_t missing = m->length[region] - m->received[region];
    m->received[region] += n < missing ? (uint32_t)n : missing;
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
