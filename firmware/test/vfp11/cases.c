/* arch/arm/vfp11.c against the host's float unit, bit for bit and flag for flag: what the unit hands over, and its registers behind
 * that. The first lines that this writes are instructions, for an assembler to compare. */
#include <inttypes.h>
#include <string.h>

#include "../check.h"
#include "arch/arm/sysreg.h"
#include "arch/arm/vfp11.h"
#include "operations.h"

#define HANDED_OVER (FPEXC_EX | FPEXC_ENABLE)
#define FP2V 0x10000000u

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t draw(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1du;
}

/* --- Registers of an instruction: numbers of single ones; those of double ones are even. */

static uint32_t field(uint32_t number, bool wide, uint32_t at, uint32_t low) {
    return wide ? number / 2 << at : number / 2 << at | (number & 1u) << low;
}

static uint32_t encode(const struct operation *o, uint32_t d, uint32_t n, uint32_t m) {
    return o->word | field(d, o->to == DOUBLE, 12, 22) | (o->left == NONE ? 0 : field(n, o->left == DOUBLE, 16, 7))
           | (o->right == NONE ? 0 : field(m, o->right == DOUBLE, 0, 5));
}

static uint64_t get(const struct cf_vfp11 *u, uint32_t number, enum kind kind) {
    return kind == NONE ? 0 : kind == DOUBLE ? (uint64_t)u->s[number + 1] << 32 | u->s[number] : u->s[number];
}

static void put(struct cf_vfp11 *u, uint32_t number, enum kind kind, uint64_t bits) {
    if (kind != NONE) {
        u->s[number] = (uint32_t)bits;
        if (kind == DOUBLE) {
            u->s[number + 1] = (uint32_t)(bits >> 32);
        }
    }
}

static bool compares(const struct operation *o) {
    return strncmp(o->text, "vcmp", 4) == 0;
}

/* What must come of an instruction. */
static void mean(struct cf_vfp11 *u, const struct operation *o, uint32_t d, uint32_t n, uint32_t m) {
    uint32_t flags = 0;
    const uint64_t bits = o->meaning(get(u, d, o->to), get(u, n, o->left), get(u, m, o->right), &flags);
    if (compares(o)) {
        u->fpscr &= 0x0fffffffu;
    } else {
        put(u, d, o->to, bits);
    }
    u->fpscr |= flags;
}

static void same(const struct operation *o, const struct cf_vfp11 *got, const struct cf_vfp11 *want, const struct cf_vfp11 *before) {
    if (memcmp(got, want, sizeof *got) == 0) {
        return;
    }
    fprintf(stderr, "%s, %08" PRIx32 ": FPSCR %08" PRIx32 ", not %08" PRIx32 "\n", o->text, got->fpinst, got->fpscr, want->fpscr);
    for (uint32_t i = 0; i < 32; i++) {
        fprintf(stderr, "s%" PRIu32 " was %08" PRIx32 " is %08" PRIx32 ", not %08" PRIx32 "\n", i, before->s[i], got->s[i], want->s[i]);
    }
    exit(1);
}

static void carry_out(const struct operation *o, const struct cf_vfp11 *before, uint32_t d, uint32_t n, uint32_t m) {
    struct cf_vfp11 got = *before;
    got.fpinst = encode(o, d, n, m);
    struct cf_vfp11 want = got;
    mean(&want, o, d, n, m);
    CHECK(cf_vfp11_finish(&got));
    same(o, &got, &want, before);
}

/* --- Operands. */

static const uint32_t singles[] = {
    0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x000fffff, 0x00400000, 0x007ffffe, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff,
    0x01000000, 0x01000001, 0x0c000000, 0x1f800000, 0x20000001, 0x33800000, 0x33800001, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff,
    0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x40200000, 0x4b000001, 0x4effffff, 0x4f000000, 0x4f000001, 0x4f7fffff, 0x4f800000,
    0x5f800000, 0x7e800000, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fc12345,
};

static const uint64_t doubles[] = {
    0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000003, 0x0007ffffffffffff, 0x0008000000000000,
    0x000ffffffffffffe, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000,
    0x01a56e1fc2f8f359, 0x1ff0000000000000, 0x3690000000000000, 0x36a0000000000000, 0x36a0000000000001, 0x3800000000000000,
    0x380ffffff0000000, 0x380fffffffffffff, 0x3810000000000000, 0x3ca0000000000000, 0x3ca0000000000001, 0x3fdfffffffffffff,
    0x3fe0000000000000, 0x3fe0000000000001, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000,
    0x4004000000000000, 0x41dfffffffc00000, 0x41dfffffffdfffff, 0x41dfffffffe00000, 0x41e0000000000000, 0x41e0000000000001,
    0x41e0000000100000, 0x41efffffffe00000, 0x41efffffffefffff, 0x41effffffff00000, 0x41f0000000000000, 0x43f0000000000000,
    0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x47f0000000000000, 0x7fd0000000000000, 0x7fe0000000000000,
    0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff7ffffffffffff, 0x7ff8000000000000, 0x7ff8000012345678,
};

static const uint32_t integers[] = {
    0,          1,          2,          0x00ffffff, 0x01000001, 0x01000003, 0x7fffffbf,
    0x7fffffc0, 0x7fffffff, 0x80000000, 0x80000001, 0xffffff7f, 0xffffff80, 0xffffffff,
};

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof(list)[0]))

/* Of a kind, how many special operands there are, both signs of each. */
static uint32_t specials(enum kind kind) {
    switch (kind) {
    case SINGLE: return 2 * COUNT(singles);
    case DOUBLE: return 2 * COUNT(doubles);
    case INTEGER: return COUNT(integers);
    default: return 1;
    }
}

static uint64_t special(enum kind kind, uint32_t i) {
    switch (kind) {
    case SINGLE: return singles[i / 2] | (i & 1u) << 31;
    case DOUBLE: return doubles[i / 2] | (uint64_t)(i & 1u) << 63;
    case INTEGER: return integers[i];
    default: return 0;
    }
}

/* Of all bits alike; an exponent in the middle, where no result is tiny or large; one near the least; fractions with few bits. */
static uint64_t random_operand(enum kind kind) {
    const bool wide = kind == DOUBLE;
    const uint32_t fraction = wide ? 52 : 23;
    const uint64_t bias = wide ? 1023 : 127;
    const uint64_t bits = draw();
    const uint64_t sign = draw() & (1ull << (wide ? 63 : 31));
    uint64_t low = bits & ((1ull << fraction) - 1u);
    uint64_t exponent;
    if (kind == NONE || kind == INTEGER) {
        return kind == NONE ? 0 : (uint32_t)(bits >> (draw() % 32));
    }
    if (draw() % 4 == 0) {
        low &= low << 1 & low << 2 & low << 3;
    }
    switch (draw() % 6) {
    case 0: return special(kind, (uint32_t)(draw() % specials(kind)));
    case 1: exponent = bits >> 32 & (2 * bias + 1); break;
    case 2: exponent = bias - 2 + bits % 5; break;
    case 3: exponent = bias / 2 + bits % (2 * fraction) - fraction; break; /* products of two are tiny */
    case 4: exponent = 0; break;
    default: exponent = draw() % (fraction + 4u); break;
    }
    return sign | exponent << fraction | low;
}

static void fill(struct cf_vfp11 *u) {
    const uint32_t happened = (uint32_t)(draw() & 0xf000001fu);
    *u = (struct cf_vfp11){.fpscr = FPSCR_DN | happened, .fpexc = HANDED_OVER | 0x780u, .fpinst2 = (uint32_t)draw()};
    for (uint32_t i = 0; i < 32; i++) {
        u->s[i] = (uint32_t)draw();
    }
}

static void with_specials(const struct operation *o) {
    struct cf_vfp11 u;
    fill(&u);
    const uint32_t step = o->adds && !compares(o) ? 5 : 1; /* of the many of three operands, some */
    for (uint32_t i = 0; i < specials(o->adds ? o->to : NONE); i += step) {
        for (uint32_t j = 0; j < specials(o->left); j++) {
            for (uint32_t k = 0; k < specials(o->right); k++) {
                u.fpscr = FPSCR_DN;
                put(&u, 2, o->to, special(o->adds ? o->to : NONE, i));
                put(&u, 12, o->left, special(o->left, j));
                put(&u, 30, o->right, special(o->right, k));
                carry_out(o, &u, 2, 12, 30);
            }
        }
    }
}

/* A register that may be the same as others. */
static uint32_t some_register(enum kind kind) {
    return (uint32_t)(draw() % 32) & (kind == DOUBLE ? 30u : 31u);
}

static void with_random(const struct operation *o, uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        struct cf_vfp11 u;
        const uint32_t d = some_register(o->to), n = some_register(o->left), m = some_register(o->right);
        fill(&u);
        put(&u, d, o->to, random_operand(o->to));
        put(&u, n, o->left, random_operand(o->left));
        put(&u, m, o->right, random_operand(o->right));
        if (draw() % 8 == 0 && o->left == o->right && d != m) { /* a sum that cancels, or nearly */
            put(&u, m, o->right, get(&u, n, o->left) ^ (draw() & 7u));
        }
        carry_out(o, &u, d, n, m);
    }
}

/* --- Handing over. */

static const struct operation *named(const char *text) {
    for (uint32_t i = 0; i < operation_count; i++) {
        if (strcmp(operations[i].text, text) == 0) {
            return &operations[i];
        }
    }
    CHECK(!"an operation of that name");
    return NULL;
}

/* FPINST2 is behind FPINST, whose result it may need, and counts only where FPEXC says so. */
static void second_instruction(void) {
    const struct operation *multiply = named("vmul.f32"), *move = named("vmov.f32"), *compare = named("vcmp.f32");
    struct cf_vfp11 u = {.fpscr = FPSCR_DN, .fpexc = HANDED_OVER | FP2V, .s = {[1] = 0x00800001, [2] = 0x3f000000, [9] = 77}};
    u.fpinst = encode(multiply, 3, 1, 2); /* a tie, to even */
    u.fpinst2 = encode(move, 9, 0, 3);
    struct cf_vfp11 once = u;
    once.fpexc &= ~FP2V;
    CHECK(cf_vfp11_finish(&u) && u.s[3] == 0x00400000 && u.s[9] == 0x00400000 && u.fpscr == (FPSCR_DN | UNDERFLOW | INEXACT));
    CHECK(cf_vfp11_finish(&once) && once.s[3] == 0x00400000 && once.s[9] == 77);

    u.fpinst = encode(compare, 3, 0, 1);
    u.fpinst2 = encode(multiply, 3, 3, 3); /* 0, and no flag of the comparison goes */
    CHECK(cf_vfp11_finish(&u) && u.s[3] == 0 && u.fpscr == (FPSCR_DN | UNDERFLOW | INEXACT | 0x80000000u));
}

static void refused(void) {
    static const uint32_t words[] = {
        0xed900a00, /* vldr s0, [r0] */
        0xee000a10, /* vmov s0, r0 */
        0xeef11a10, /* vmrs r1, fpscr */
        0xee000900, /* another coprocessor */
        0xe0800000, /* add r0, r0, r0 */
        0xee800a40, 0xee900a00, 0xeea00a00, 0xeeb00a00, /* operations that later units have */
        0xeeb20a40, 0xeeb60a40, 0xeeb70a40, 0xeeb90a40, 0xeebe0a40,
        0xee710b02, 0xee310b82, 0xee310b22, 0xeef10bc0, 0xeeb10be0, 0xeef40b40, 0xeef70ac0, 0xeeb70be0, /* odd registers for doubles */
    };
    static const uint8_t modes[] = {8, 9, 10, 11, 12, 15, 16, 17, 18, 20, 21, 22, 23, 24}; /* bits of FPSCR */
    struct cf_vfp11 u = {.fpscr = FPSCR_DN, .fpexc = HANDED_OVER};
    for (uint32_t i = 0; i < COUNT(words); i++) {
        u.fpinst = words[i];
        CHECK(!cf_vfp11_finish(&u));
    }
    u.fpinst = encode(named("vadd.f64"), 0, 2, 4);
    CHECK(cf_vfp11_finish(&u));
    u.fpexc |= FP2V;
    u.fpinst2 = words[0];
    CHECK(!cf_vfp11_finish(&u));
    u.fpexc &= ~FP2V;
    for (uint32_t i = 0; i < COUNT(modes); i++) {
        u.fpscr = FPSCR_DN | 1u << modes[i];
        CHECK(!cf_vfp11_finish(&u));
    }
    u.fpscr = 0;
    CHECK(!cf_vfp11_finish(&u));
    u.fpscr = FPSCR_DN | 0xf000009fu; /* what has happened is no mode */
    CHECK(cf_vfp11_finish(&u));
}

static void write_instruction(const struct operation *o) {
    static const char prefix[] = {[SINGLE] = 's', [DOUBLE] = 'd', [INTEGER] = 's'};
    const enum kind kinds[] = {o->to, o->left, o->right};
    const uint32_t numbers[] = {10, 22, 12};
    printf("%08" PRIx32 " %s ", encode(o, 10, 22, 12), o->text);
    for (uint32_t i = 0; i < 3; i++) {
        if (kinds[i] != NONE) {
            const uint32_t number = kinds[i] == DOUBLE ? numbers[i] / 2 : numbers[i];
            printf("%s%c%" PRIu32, i == 0 ? "" : ", ", prefix[kinds[i]], number);
        }
    }
    puts(compares(o) && o->right == NONE ? ", #0" : "");
}

int main(void) {
    for (uint32_t i = 0; i < operation_count; i++) {
        write_instruction(&operations[i]);
        with_specials(&operations[i]);
        with_random(&operations[i], 50000);
    }
    second_instruction();
    refused();
    return 0;
}
