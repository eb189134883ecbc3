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

#define RANGE_BITS 0x7fu
#define RANGE_SIGNED 0x80u

/* What the numbers of relations are made of. */
#define RELATIVE 1u
#define OF_PAGES 2u
_Static_assert(CF_REL_ABSOLUTE == 0 && CF_REL_PC_RELATIVE == RELATIVE && CF_REL_PAGE == OF_PAGES
                   && CF_REL_PAGE_RELATIVE == (OF_PAGES | RELATIVE),
               "relations are sums of two properties");

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
        return 1;
    }
    const uint32_t unit = k->head[UNIT];
    const uint32_t range = k->head[RANGE];
    const uint32_t count = k->ends[FIELDS];
    if (k->head[RELATION] > CF_REL_PAGE_RELATIVE || unit - 1u > 7u || (unit & (unit - 1u)) != 0 || k->head[SHIFT] > 63
        || (range & RANGE_BITS) > 64 || range == RANGE_SIGNED || k->ends[PLACE] > CF_REGION_DATA
        || k->ends[TARGET] > CF_TARGET_SERVICE || count - 1u >= CF_MAX_PATCH_FIELDS) {
        return 1;
    }
    k->fields = take(c, 3u * count);
    if (k->fields == NULL) {
        return 1;
    }
    for (const uint8_t *f = k->fields; f < c->at; f += 3) {
        if (f[1] == 0 || f[0] + f[1] > 64 || f[2] + f[1] > 8 * (int)unit) {
            return 1;
        }
    }
    return 0;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bit n of a number is in its byte n / 8");

static unsigned bit_of(const void *number, unsigned n) {
    return ((const uint8_t *)number)[n / 8u] >> n % 8u & 1u;
}

/* Works out one value, and copies bits of it into the unit at its place if it fits. One by one: fields may lie across bytes, and
 * patches are few. */
__attribute__((noinline)) static int patch(const struct kind *k, uint8_t *unit, uint64_t place, uint64_t target) {
    const unsigned relation = k->head[RELATION];
    const unsigned shift = k->head[SHIFT];
    const unsigned range = k->head[RANGE];
    const unsigned sign = range / RANGE_SIGNED;

    if ((relation & OF_PAGES) != 0) {
        place &= PAGE_MASK;
        target &= PAGE_MASK;
    }
    if ((relation & RELATIVE) != 0) {
        target -= place;
    }
    /* With its sign in front: shifting it right is adding to the number of a bit. */
    const uint64_t value[2] = {target, 0u - (target >> 63)};
    if (range != 0) {
        for (unsigned n = (range & RANGE_BITS) - sign; n < 64u; n++) { /* bits that do not count are zeros, or the sign */
            if (bit_of(value, shift + n) != (sign & bit_of(value, 127))) {
                return 1;
            }
        }
    }
    const uint8_t *f = k->fields;
    for (unsigned i = k->ends[FIELDS]; i > 0; i--, f += 3) {
        for (unsigned n = 0; n < f[1]; n++) {
            uint8_t *byte = &unit[(f[2] + n) / 8u];
            const unsigned bit = (f[2] + n) % 8u;
            *byte = (uint8_t)((*byte & ~(1u << bit)) | bit_of(value, shift + f[0] + n) << bit);
        }
    }
    return 0;
}

/* Reads one kind and carries out its patches. */
__attribute__((noinline)) static int apply_kind(const struct cf_patch_map *map, struct cursor *c) {
    struct kind k;
    uint32_t place = 0;
    uint32_t target = 0;

    if (take_kind(c, &k) != 0) {
        return 1;
    }
    const struct cf_patch_region *from = &map->region[k.ends[PLACE]];
    const struct cf_patch_region *to = &map->region[k.ends[TARGET]];
    for (uint32_t count = take_varint(c); count > 0; count--) {
        const uint32_t step = take_varint(c);
        const int32_t target_step = take_zigzag(c);
        const uint32_t before = target;
        target += (uint32_t)target_step;
        if (c->failed || from->targets <= k.head[UNIT] || step >= from->targets - k.head[UNIT] - place
            || (target_step < 0) != (target < before) || target >= to->targets) {
            return 1;
        }
        place += step;
        const uintptr_t address = k.ends[TARGET] == CF_TARGET_SERVICE ? map->services[target] : to->address + target;
        if (patch(&k, from->bytes + place, (uint64_t)from->address + place + (uint64_t)(int64_t)k.bias, address) != 0) {
            return 1;
        }
    }
    return 0;
}

int32_t cf_patch_apply(const struct cf_patch_map *map, const uint8_t *section, uint32_t length, uint32_t *detail) {
    struct cursor c = {section, section + length, 0};

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
