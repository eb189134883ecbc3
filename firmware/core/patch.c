#include "patch.h"

#include <stddef.h>

#include "codes_gen.h"

#define PAGE_MASK (~(uint64_t)0xfff)

/* Reads a section. The first byte that is wrong stops it: what is taken from then on is 0. */
struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    int failed;
};

struct kind {
    const uint8_t *head; /* relation, bytes of the unit, shift, range */
    int32_t bias;
    const uint8_t *ends; /* region of the place, of the target, number of fields */
    const uint8_t *fields; /* triples: first bit of the value, bits, first bit of the unit */
};

enum { RELATION = 0, UNIT = 1, SHIFT = 2, RANGE = 3, HEAD = 4 };
enum { PLACE = 0, TARGET = 1, FIELDS = 2, ENDS = 3 };

/* Returns n bytes, or NULL if the section has failed or has fewer. */
static const uint8_t *take(struct cursor *c, uint32_t n) {
    const uint8_t *at = c->at;

    if (c->failed || (uint32_t)(c->end - at) < n) {
        c->failed = 1;
        return NULL;
    }
    c->at += n;
    return at;
}

/* Unsigned LEB128 of at most 32 bits, in its shortest form. */
static uint32_t take_varint(struct cursor *c) {
    uint32_t v = 0;

    for (unsigned shift = 0;; shift += 7) {
        const uint8_t *at = take(c, 1);
        if (at == NULL) {
            return 0;
        }
        const uint8_t byte = *at;
        v |= (uint32_t)(byte & 0x7fu) << shift;
        if ((shift == 28 && byte > 0x0f) || (shift > 0 && byte == 0)) {
            c->failed = 1; /* more than 32 bits, or than five bytes, or not the shortest form */
        }
        if ((byte & 0x80u) == 0 || c->failed) {
            return v;
        }
    }
}

static int32_t take_zigzag(struct cursor *c) {
    uint32_t u = take_varint(c);

    return (int32_t)(u >> 1 ^ (0u - (u & 1u)));
}

static int take_kind(struct cursor *c, struct kind *k) {
    k->head = take(c, HEAD);
    k->bias = take_zigzag(c);
    k->ends = take(c, ENDS);
    if (c->failed) {
        return -1;
    }
    const uint32_t unit = k->head[UNIT];
    const uint32_t range = k->head[RANGE];
    const uint32_t count = k->ends[FIELDS];
    if (k->head[RELATION] > CF_REL_PAGE_RELATIVE || unit == 0 || unit > 8 || (unit & (unit - 1u)) != 0
        || k->head[SHIFT] > 63 || (range & 0x7fu) > 64 || range == 0x80u || k->ends[PLACE] > CF_REGION_DATA
        || k->ends[TARGET] > CF_TARGET_SERVICE || count == 0 || count > CF_MAX_PATCH_FIELDS) {
        return -1;
    }
    k->fields = take(c, 3u * count);
    if (k->fields == NULL) {
        return -1;
    }
    for (const uint8_t *f = k->fields; f < c->at; f += 3) {
        if (f[1] == 0 || f[0] + f[1] > 64 || f[2] + f[1] > 8 * (int)unit) {
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

/* With the sign, bit by bit: what 64 bits cost a processor of 32 at once is more than the loop. Kept out of line, since its
 * three callers share it. */
__attribute__((noinline)) static uint64_t shift_right(uint64_t v, unsigned n) {
    for (; n > 0; n--) {
        v = v >> 1 | (v & (uint64_t)1 << 63);
    }
    return v;
}

/* Whether v fits the range byte of a kind: 0 anything, else the number of bits, bit 7 set if signed. */
static int fits(uint64_t v, uint8_t range) {
    const unsigned bits = range & 0x7fu;
    const unsigned sign = range >> 7;

    if (bits % 64 == 0) {
        return 1;
    }
    const uint64_t rest = shift_right(v, bits - sign);
    return rest == 0 || (sign != 0 && rest == UINT64_MAX);
}

static int value_of(const struct kind *k, uint64_t place, uint64_t target, uint64_t *value) {
    uint64_t from = place + (uint64_t)(int64_t)k->bias;
    uint64_t v = target;

    switch (k->head[RELATION]) {
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
    *value = shift_right(v, k->head[SHIFT]);
    return fits(*value, k->head[RANGE]) ? 0 : -1;
}

/* Copies bits of the value into the unit, one by one: fields may lie across bytes and patches are few. */
static void insert(const struct kind *k, uint8_t *at, uint64_t value) {
    const uint8_t *f = k->fields;

    for (unsigned i = 0; i < k->ends[FIELDS]; i++, f += 3) {
        uint64_t rest = shift_right(value, f[0]);
        for (unsigned to = f[2]; to < f[2] + (unsigned)f[1]; to++, rest >>= 1) {
            const unsigned bit = (unsigned)rest & 1u;
            at[to / 8] = (uint8_t)((at[to / 8] & ~(1u << to % 8)) | bit << to % 8);
        }
    }
}

/* Reads one kind and carries out its patches. */
static int apply_kind(const struct cf_patch_map *map, struct cursor *c) {
    struct kind k;
    uint32_t place = 0;
    int64_t target = 0;

    if (take_kind(c, &k) != 0) {
        return -1;
    }
    const struct cf_patch_region *r = &map->region[k.ends[PLACE]];
    for (uint32_t count = take_varint(c); count > 0; count--) {
        uint32_t dplace = take_varint(c);
        int32_t dtarget = take_zigzag(c);
        uint64_t address;
        uint64_t value;
        if (c->failed || r->length < k.head[UNIT] || dplace > r->length - k.head[UNIT] || place > r->length - k.head[UNIT] - dplace) {
            return -1;
        }
        place += dplace;
        target += dtarget; /* stays within 33 bits, since each step is checked against its region */
        if (target_address(map, k.ends[TARGET], target, &address) != 0
            || value_of(&k, r->address + place, address, &value) != 0) {
            return -1;
        }
        insert(&k, r->bytes + place, value);
    }
    return 0;
}

int32_t cf_patch_apply(const struct cf_patch_map *map, const uint8_t *section, uint32_t length, uint32_t *detail) {
    struct cursor c = {section, section + length, 0};

    *detail = 0;
    if (length == 0) {
        return CF_OK;
    }
    for (uint32_t kinds = take_varint(&c); kinds > 0 && !c.failed; kinds--) {
        if (apply_kind(map, &c) != 0) {
            c.failed = 1;
        }
    }
    if (c.failed || c.at != c.end) {
        *detail = (uint32_t)(c.at - section);
        return CF_ERR_BAD_PATCH;
    }
    return CF_OK;
}
