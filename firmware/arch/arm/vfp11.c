/*
 * What a VFP11 leaves to software, in integers, single and double precision alike: rounded to nearest, subnormals kept, every NaN the
 * default one, and the flags that the unit itself would have set. How long a loop takes does not depend on the operands.
 */
#include "arch/arm/vfp11.h"

#include "arch/arm/sysreg.h"

#define FPEXC_FP2V (1u << 28) /* FPINST2 is in use */

/* Of FPSCR. */
#define COMPARED 0xf0000000u
#define LESS 0x80000000u
#define EQUAL 0x60000000u
#define GREATER 0x20000000u
#define UNORDERED 0x30000000u
#define MODE 0x03f79f00u /* DN, FZ, rounding, stride and length of vectors, traps */
#define INVALID 0x01u
#define BY_ZERO 0x02u
#define OVERFLOW 0x04u
#define UNDERFLOW 0x08u
#define INEXACT 0x10u

#define SIGN (1ull << 63)
#define ONE (1ull << 62) /* the significand of a power of two */
#define QUIET (1ull << 61)
#define SPECIAL 0x4000 /* exponent of an infinity, whose significand is 0, and of a NaN */

/* sig / 2^62 * 2^exp, with a significand of 0 or from ONE to below 2 ONE; a result that is not rounded yet has any. */
struct number {
    uint64_t sig;
    int32_t exp;
    uint32_t sign;  /* 0 or 1 */
    uint32_t flags; /* that FPSCR gets of what has happened to it */
};

/* Values are kept at the top of 64 bits. */
struct format {
    uint8_t exponent;    /* bits */
    uint8_t significand; /* bits, with the one that is implied */
    uint16_t bias;
};

static const struct format formats[] = {{8, 24, 127}, {11, 53, 1023}}; /* single, double precision */

static bool is_nan(const struct number *n) {
    return n->exp == SPECIAL && n->sig != 0;
}

static bool is_zero(const struct number *n) {
    return n->exp != SPECIAL && n->sig == 0;
}

/* What is shifted out leaves a 1 in the last bit if it had one. Inlined, it would take 200 bytes more. */
__attribute__((noinline)) static uint64_t shifted_right(uint64_t sig, int32_t count) {
    return count > 63 ? sig != 0 : sig >> count | ((sig & ((1ull << count) - 1u)) != 0);
}

/* Without the last two bits: to nearest, ties to even. */
static uint64_t nearest(uint64_t sig) {
    return (sig >> 2) + ((sig & 3u) + (sig >> 2 & 1u) > 2);
}

static void normalise(struct number *n) {
    if (n->sig != 0) {
        const int32_t shift = __builtin_clzll(n->sig) - 1;
        n->exp -= shift;
        n->sig = shift < 0 ? shifted_right(n->sig, 1) : n->sig << shift;
    }
}

static void unpack(struct number *n, uint64_t bits, const struct format *f) {
    const int32_t exponent = (int32_t)(bits << 1 >> (64 - f->exponent));
    n->flags = 0;
    n->sign = (uint32_t)(bits >> 63);
    n->sig = bits << (f->exponent + 1) >> 2;
    n->exp = exponent - f->bias;
    if (exponent > 2 * f->bias) {
        n->exp = SPECIAL;
    } else if (exponent != 0) {
        n->sig |= ONE;
    } else {
        n->exp++;
        normalise(n);
    }
}

static uint64_t pack(struct number *n, const struct format *f) {
    const uint64_t infinite = (2ull * f->bias + 1u) << (f->significand - 1);
    uint64_t bits = infinite;
    if (is_nan(n)) {
        n->sign = 0;
        bits |= infinite >> 1;
    } else if (is_zero(n)) {
        bits = 0;
    } else if (n->exp != SPECIAL) {
        normalise(n);
        int32_t exponent = n->exp + f->bias - 1; /* the bit that is implied adds 1 */
        int32_t drop = 61 - f->significand;      /* two bits remain for rounding */
        uint32_t raised = INEXACT;
        if (exponent < 0) {
            raised |= UNDERFLOW;
            drop -= exponent;
            exponent = 0;
        }
        const uint64_t sig = shifted_right(n->sig, drop);
        bits = ((uint64_t)exponent << (f->significand - 1)) + nearest(sig);
        if (bits >= infinite) {
            bits = infinite;
            n->flags |= OVERFLOW | INEXACT;
        } else if ((sig & 3u) != 0) {
            n->flags |= raised;
        }
    }
    return (uint64_t)n->sign << 63 | bits << (64 - f->exponent - f->significand);
}

/* Operations: the first operand becomes the result. */

static void set_infinite(struct number *n) {
    n->exp = SPECIAL;
    n->sig = 0;
}

static void set_invalid(struct number *n) {
    n->exp = SPECIAL;
    n->sig = QUIET;
    n->flags = INVALID;
}

static bool signals(const struct number *n) {
    return is_nan(n) && (n->sig & QUIET) == 0;
}

/* Whether one of them is a NaN, which is the result then. */
static bool take_nan(struct number *a, const struct number *b) {
    if (signals(a) || signals(b)) {
        set_invalid(a);
    } else if (is_nan(b)) {
        *a = *b;
    }
    return is_nan(a);
}

static void add(struct number *a, struct number *b) {
    if (take_nan(a, b)) {
        return;
    }
    if (a->exp < b->exp) {
        const struct number larger = *b;
        *b = *a;
        *a = larger;
    }
    if (a->exp == SPECIAL) {
        if (b->exp == SPECIAL && a->sign != b->sign) {
            set_invalid(a);
        }
        return;
    }
    const uint64_t addend = shifted_right(b->sig, a->exp - b->exp);
    if (a->sign == b->sign) {
        a->sig += addend;
    } else if (a->sig > addend) {
        a->sig -= addend;
    } else {
        a->sig = addend - a->sig;
        a->sign = a->sig != 0 ? b->sign : 0;
    }
}

static void multiply(struct number *a, const struct number *b) {
    if (take_nan(a, b)) {
        return;
    }
    a->sign ^= b->sign;
    if (a->exp == SPECIAL || b->exp == SPECIAL) {
        if (is_zero(a) || is_zero(b)) {
            set_invalid(a);
        } else {
            set_infinite(a);
        }
        return;
    }
    const uint64_t a_high = a->sig >> 32, a_low = (uint32_t)a->sig;
    const uint64_t b_high = b->sig >> 32, b_low = (uint32_t)b->sig;
    const uint64_t low = a_low * b_low;
    const uint64_t middle = a_high * b_low + (low >> 32);
    const uint64_t second = a_low * b_high + (uint32_t)middle;
    const uint64_t high = a_high * b_high + (middle >> 32) + (second >> 32);
    a->sig = high | (((uint32_t)second | (uint32_t)low) != 0);
    a->exp += b->exp + 2; /* the high word of ONE * ONE is a quarter of ONE */
}

static void divide(struct number *a, const struct number *b) {
    if (take_nan(a, b)) {
        return;
    }
    a->sign ^= b->sign;
    if (a->exp == SPECIAL) {
        if (b->exp == SPECIAL) {
            set_invalid(a);
        }
        return;
    }
    if (is_zero(b)) {
        if (is_zero(a)) {
            set_invalid(a);
        } else {
            set_infinite(a);
            a->flags = BY_ZERO;
        }
        return;
    }
    uint64_t quotient = 0;
    uint64_t rest = a->sig;
    for (uint32_t i = 0; i < 63; i++) {
        quotient <<= 1;
        if (rest >= b->sig) {
            rest -= b->sig;
            quotient |= 1u;
        }
        rest <<= 1;
    }
    a->sig = b->exp == SPECIAL ? 0 : quotient | (rest != 0);
    a->exp -= b->exp;
}

static void take_root(struct number *a) {
    if (take_nan(a, a) || is_zero(a)) {
        return;
    }
    if (a->sign != 0) {
        set_invalid(a);
        return;
    }
    if (a->exp == SPECIAL) {
        return;
    }
    const int32_t odd = a->exp & 1;
    uint64_t rest = a->sig << odd >> 2; /* no bit is lost: there are 53 at most */
    uint64_t root = 0;
    for (uint64_t bit = ONE >> 2; bit != 0; bit >>= 1) {
        const uint64_t step = 2u * root + bit;
        if (rest >= step) {
            rest -= step;
            root += bit;
        }
        rest <<= 1;
    }
    a->sig = root << 2 | (rest != 0);
    a->exp = (a->exp - odd) / 2;
}

/* The result are flags. Some comparisons are invalid with any NaN. */
static void compare(struct number *a, struct number *b, bool strict) {
    if (take_nan(a, b)) {
        a->flags |= strict ? UNORDERED | INVALID : UNORDERED;
        return;
    }
    b->sign ^= 1u;
    add(a, b); /* which finds nothing in the difference of infinities that are equal */
    a->flags = is_zero(a) || is_nan(a) ? EQUAL : a->sign != 0 ? LESS : GREATER;
}

static uint32_t to_integer(struct number *n, bool with_sign, bool to_zero) {
    if (is_nan(n)) {
        n->flags = INVALID;
        return 0;
    }
    const uint64_t most = with_sign ? 0x7fffffffu + n->sign : n->sign != 0 ? 0 : 0xffffffffu;
    const uint64_t sig = n->exp > 31 ? SIGN : shifted_right(n->sig, 60 - n->exp);
    uint64_t magnitude = to_zero ? sig >> 2 : nearest(sig);
    if (magnitude > most) {
        magnitude = most;
        n->flags = INVALID;
    } else if ((sig & 3u) != 0) {
        n->flags = INEXACT;
    }
    return n->sign != 0 ? 0u - (uint32_t)magnitude : (uint32_t)magnitude;
}

static void from_integer(struct number *n, uint32_t value, bool with_sign) {
    n->sign = with_sign ? value >> 31 : 0;
    n->sig = n->sign != 0 ? 0u - value : value;
    n->exp = 62;
    n->flags = 0;
}

/* Registers by the number of the single one, which of a double one is that of the lower half. */

static uint64_t get(const uint32_t *s, bool wide) {
    return wide ? (uint64_t)s[1] << 32 | s[0] : (uint64_t)s[0] << 32;
}

static void put(uint32_t *s, bool wide, uint64_t bits) {
    if (wide) {
        *s++ = (uint32_t)bits;
    }
    *s = (uint32_t)(bits >> 32);
}

static void load(struct number *n, const uint32_t *s, bool wide) {
    unpack(n, get(s, wide), &formats[wide]);
}

/* Instructions of one operand, by bits 19 to 16 and 7. */
enum {
    FCPY = 0x00,
    FABS = 0x01,
    FNEG = 0x02,
    FSQRT = 0x03,
    FCMP = 0x08, /* also FCMPE; two more are FCMPZ and FCMPEZ */
    FCVT = 0x0f, /* to the other precision */
    FUITO = 0x10,
    FSITO = 0x11,
    FTOUI = 0x18, /* also FTOUIZ; two more are FTOSI and FTOSIZ */
};

#define UNARY_OPS 0x0f038f0fu /* a bit for each */

static bool finish_unary(struct cf_vfp11 *unit, uint32_t op, uint32_t d, uint32_t m, bool wide) {
    const bool from = wide && op != FUITO && op != FSITO;    /* whether the operand has two words, */
    const bool to = op == FCVT ? !wide : wide && op < FTOUI; /* and the result */
    if ((UNARY_OPS >> op & 1u) == 0 || (from && m % 2 != 0) || (to && d % 2 != 0)) {
        return false;
    }
    uint32_t *const result = &unit->s[d];
    const uint64_t bits = get(&unit->s[m], from);
    struct number a, b;
    unpack(&a, bits, &formats[from]);
    switch (op) {
    case FCPY:
    case FABS:
    case FNEG:
        put(result, to, op == FCPY ? bits : op == FABS ? bits & ~SIGN : bits ^ SIGN);
        return true;
    case FSQRT:
        take_root(&a);
        break;
    case FCMP:
    case FCMP + 1:
    case FCMP + 2:
    case FCMP + 3:
        unpack(&b, (op & 2u) != 0 ? 0 : bits, &formats[wide]);
        load(&a, result, wide);
        compare(&a, &b, op & 1u);
        unit->fpscr = (unit->fpscr & ~COMPARED) | a.flags;
        return true;
    case FCVT:
        (void)take_nan(&a, &a);
        break;
    case FUITO:
    case FSITO:
        from_integer(&a, unit->s[m], op & 1u);
        break;
    default:
        *result = to_integer(&a, op & 2u, op & 1u);
        unit->fpscr |= a.flags;
        return true;
    }
    put(result, to, pack(&a, &formats[to]));
    unit->fpscr |= a.flags;
    return true;
}

/* Instructions of two operands and more, by bits 23, 21, 20 and 6. Below FMUL the product is added to what the result's register has,
 * which the bit of 2 negates; that of 1 negates the product, or what FSUB subtracts. */
enum {
    FMUL = 4,
    FNMUL = 5,
    FADD = 6,
    FDIV = 8,
    UNARY = 15,
};

static bool finish(struct cf_vfp11 *unit, uint32_t instruction) {
    const bool wide = (instruction >> 8 & 1u) != 0;
    const uint32_t op = (instruction >> 20 & 8u) | (instruction >> 19 & 6u) | (instruction >> 6 & 1u);
    const uint32_t d = (instruction >> 11 & 30u) | (instruction >> 22 & 1u);
    const uint32_t n = (instruction >> 15 & 30u) | (instruction >> 7 & 1u);
    const uint32_t m = (instruction << 1 & 30u) | (instruction >> 5 & 1u);
    if ((instruction & 0x0f000e10u) != 0x0e000a00u) {
        return false; /* it only moves data, or is none of this unit */
    }
    if (op == UNARY) {
        return finish_unary(unit, n, d, m, wide);
    }
    if (op > FDIV || (wide && (d | n | m) % 2 != 0)) {
        return false;
    }
    struct number a, b;
    load(&a, &unit->s[n], wide);
    load(&b, &unit->s[m], wide);
    if (op == FDIV) {
        divide(&a, &b);
    } else if (op < FADD) {
        multiply(&a, &b);
    }
    if (op < FMUL) {
        unpack(&b, pack(&a, &formats[wide]), &formats[wide]);
        unit->fpscr |= a.flags;
        load(&a, &unit->s[d], wide);
        a.sign ^= op >> 1;
    }
    if (op < FMUL || (op & 6u) == FADD) {
        b.sign ^= op & 1u;
        add(&a, &b);
    }
    put(&unit->s[d], wide, pack(&a, &formats[wide]) ^ (op == FNMUL ? SIGN : 0));
    unit->fpscr |= a.flags;
    return true;
}

bool cf_vfp11_finish(struct cf_vfp11 *unit) {
    return (unit->fpscr & MODE) == FPSCR_DN && finish(unit, unit->fpinst)
           && ((unit->fpexc & FPEXC_FP2V) == 0 || finish(unit, unit->fpinst2));
}
