#include "patch.h"

#include "codes_gen.h"

#define PAGE_MASK (~(uint64_t)0xfff)

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
};

struct kind {
    uint8_t relation;
    uint8_t unit; /* bytes */
    uint8_t shift;
    uint8_t range;
    uint8_t place_region;
    uint8_t target_region;
    uint8_t field_count;
    int32_t bias;
    const uint8_t *fields; /* field_count triples: first bit of the value, bits, first bit of the unit */
};

static int take_byte(struct cursor *c, uint8_t *v) {
    if (c->at == c->end) {
        return -1;
    }
    *v = *c->at++;
    return 0;
}

/* Unsigned LEB128 of at most 32 bits, in its shortest form. */
static int take_varint(struct cursor *c, uint32_t *v) {
    uint8_t byte;

    *v = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (take_byte(c, &byte) != 0) {
            return -1;
        }
        if (shift == 28 && byte > 0x0f) {
            return -1; /* more than 32 bits, or than five bytes */
        }
        *v |= (uint32_t)(byte & 0x7fu) << shift;
        if ((byte & 0x80u) == 0) {
            return byte == 0 && shift > 0 ? -1 : 0;
        }
    }
}

static int take_zigzag(struct cursor *c, int32_t *v) {
    uint32_t u;

    if (take_varint(c, &u) != 0) {
        return -1;
    }
    *v = (u & 1u) != 0 ? -(int32_t)(u >> 1) - 1 : (int32_t)(u >> 1);
    return 0;
}

static int take_kind(struct cursor *c, struct kind *k) {
    if (take_byte(c, &k->relation) != 0 || take_byte(c, &k->unit) != 0 || take_byte(c, &k->shift) != 0
        || take_byte(c, &k->range) != 0 || take_zigzag(c, &k->bias) != 0 || take_byte(c, &k->place_region) != 0
        || take_byte(c, &k->target_region) != 0 || take_byte(c, &k->field_count) != 0) {
        return -1;
    }
    if (k->relation > CF_REL_PAGE_RELATIVE || k->unit == 0 || k->unit > 8 || (k->unit & (k->unit - 1u)) != 0
        || k->shift > 63 || (k->range & 0x7fu) > 64 || k->range == 0x80u || k->place_region > CF_REGION_DATA
        || k->target_region > CF_TARGET_SERVICE || k->field_count == 0 || k->field_count > CF_MAX_PATCH_FIELDS) {
        return -1;
    }
    k->fields = c->at;
    for (unsigned i = 0; i < k->field_count; i++) {
        uint8_t src, len, dst;
        if (take_byte(c, &src) != 0 || take_byte(c, &len) != 0 || take_byte(c, &dst) != 0) {
            return -1;
        }
        if (len == 0 || src + len > 64 || dst + len > 8 * k->unit) {
            return -1;
        }
    }
    return 0;
}

/* Address of a target offset, which may be one past the end of its region. Returns -1 if it lies elsewhere. */
static int target_address(const struct cf_patch_map *map, uint8_t region, int64_t target, uint64_t *address) {
    if (target < 0) {
        return -1;
    }
    if (region == CF_TARGET_SERVICE) {
        if (target >= map->service_count) {
            return -1;
        }
        *address = map->services[target];
        return 0;
    }
    if (target > map->region[region].length) {
        return -1;
    }
    *address = map->region[region].address + (uint64_t)target;
    return 0;
}

static uint64_t shift_right(uint64_t v, unsigned n) {
    return (v >> 63) != 0 ? ~(~v >> n) : v >> n;
}

/* Whether v fits the range byte of a kind: 0 anything, else the number of bits, bit 7 set if signed. */
static int fits(uint64_t v, uint8_t range) {
    unsigned bits = range & 0x7fu;

    if (bits == 0 || bits == 64) {
        return 1;
    }
    if ((range & 0x80u) == 0) {
        return v >> bits == 0;
    }
    uint64_t rest = shift_right(v, bits - 1);
    return rest == 0 || rest == UINT64_MAX;
}

static int value_of(const struct kind *k, uint64_t place, uint64_t target, uint64_t *value) {
    uint64_t from = place + (uint64_t)(int64_t)k->bias;
    uint64_t v = target;

    switch (k->relation) {
    case CF_REL_PC_RELATIVE:
        v = target - from;
        break;
    case CF_REL_PAGE:
        v = target & PAGE_MASK;
        break;
    case CF_REL_PAGE_RELATIVE:
        v = (target & PAGE_MASK) - (from & PAGE_MASK);
        break;
    default:
        break;
    }
    *value = shift_right(v, k->shift);
    return fits(*value, k->range) ? 0 : -1;
}

static void insert(const struct kind *k, uint8_t *at, uint64_t value) {
    uint64_t unit = 0;

    for (unsigned i = 0; i < k->unit; i++) {
        unit |= (uint64_t)at[i] << (8 * i);
    }
    for (unsigned i = 0; i < k->field_count; i++) {
        const uint8_t *f = k->fields + 3 * i;
        uint64_t mask = UINT64_MAX >> (64 - f[1]);
        unit = (unit & ~(mask << f[2])) | (value >> f[0] & mask) << f[2];
    }
    for (unsigned i = 0; i < k->unit; i++) {
        at[i] = (uint8_t)(unit >> (8 * i));
    }
}

/* Reads one kind and carries out its patches. */
static int apply_kind(const struct cf_patch_map *map, struct cursor *c) {
    struct kind k;
    uint32_t count;
    uint32_t place = 0;
    int64_t target = 0;

    if (take_kind(c, &k) != 0 || take_varint(c, &count) != 0) {
        return -1;
    }
    const struct cf_patch_region *r = &map->region[k.place_region];
    for (; count > 0; count--) {
        uint32_t dplace;
        int32_t dtarget;
        uint64_t address;
        uint64_t value;
        if (take_varint(c, &dplace) != 0 || take_zigzag(c, &dtarget) != 0) {
            return -1;
        }
        if (r->length < k.unit || dplace > r->length - k.unit || place > r->length - k.unit - dplace) {
            return -1;
        }
        place += dplace;
        target += dtarget; /* stays within 33 bits, since each step is checked against its region */
        if (target_address(map, k.target_region, target, &address) != 0
            || value_of(&k, r->address + place, address, &value) != 0) {
            return -1;
        }
        insert(&k, r->bytes + place, value);
    }
    return 0;
}

int32_t cf_patch_apply(const struct cf_patch_map *map, const uint8_t *section, uint32_t length, uint32_t *detail) {
    struct cursor c = {section, section + length};
    uint32_t kinds;
    int failed;

    *detail = 0;
    if (length == 0) {
        return CF_OK;
    }
    failed = take_varint(&c, &kinds);
    for (; !failed && kinds > 0; kinds--) {
        failed = apply_kind(map, &c);
    }
    if (failed || c.at != c.end) {
        *detail = (uint32_t)(c.at - section);
        return CF_ERR_BAD_PATCH;
    }
    return CF_OK;
}
