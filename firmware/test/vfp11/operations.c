#include "operations.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Arm finds that a result is tiny before it is rounded, other units afterwards: rounded toward zero, the two are the same. */
#define PRECISION(type, bits_type, name, smallest, default_nan)                                                                    \
    static type name##_of(uint64_t bits) {                                                                                         \
        const bits_type low = (bits_type)bits;                                                                                     \
        type value;                                                                                                                \
        memcpy(&value, &low, sizeof value);                                                                                        \
        return value;                                                                                                              \
    }                                                                                                                              \
    static uint64_t name##_bits(type value) {                                                                                      \
        bits_type bits;                                                                                                            \
        memcpy(&bits, &value, sizeof bits);                                                                                        \
        return isnan(value) ? default_nan : bits;                                                                                  \
    }                                                                                                                              \
    static type name##_apply(char op, type left, type right) {                                                                     \
        const volatile type a = left, b = right;                                                                                   \
        volatile type r = 0;                                                                                                       \
        switch (op) {                                                                                                              \
        case '+': r = a + b; break;                                                                                                \
        case '-': r = a - b; break;                                                                                                \
        case '*': r = a * b; break;                                                                                                \
        case '/': r = a / b; break;                                                                                                \
        default: r = (type)sqrt(a); break;                                                                                         \
        }                                                                                                                          \
        return r;                                                                                                                  \
    }                                                                                                                              \
    static uint64_t name(char op, uint64_t left, uint64_t right, uint32_t *flags) {                                                \
        const type a = name##_of(left), b = name##_of(right);                                                                      \
        (void)feclearexcept(FE_ALL_EXCEPT);                                                                                        \
        const type result = name##_apply(op, a, b);                                                                                \
        const int raised = fetestexcept(FE_ALL_EXCEPT);                                                                            \
        (void)fesetround(FE_TOWARDZERO);                                                                                           \
        const type cut = name##_apply(op, a, b);                                                                                   \
        (void)fesetround(FE_TONEAREST);                                                                                            \
        *flags |= flags_of(raised) | ((raised & FE_INEXACT) != 0 && fabs((double)cut) < (double)smallest ? UNDERFLOW : 0);         \
        return name##_bits(result);                                                                                                \
    }

static uint32_t flags_of(int raised) {
    return ((raised & FE_INVALID) != 0 ? INVALID : 0) | ((raised & FE_DIVBYZERO) != 0 ? BY_ZERO : 0)
           | ((raised & FE_OVERFLOW) != 0 ? OVERFLOW : 0) | ((raised & FE_INEXACT) != 0 ? INEXACT : 0);
}

PRECISION(float, uint32_t, single, 0x1p-126, 0x7fc00000u)
PRECISION(double, uint64_t, wide, 0x1p-1022, 0x7ff8000000000000u)

#define SIGN_single 0x80000000u
#define SIGN_wide 0x8000000000000000u

#define MEANING(name, result)                                                                      \
    static uint64_t name(uint64_t d, uint64_t n, uint64_t m, uint32_t *flags) {                    \
        (void)d, (void)n, (void)m, (void)flags;                                                    \
        return result;                                                                             \
    }

/* FNMUL changes the sign of whatever the product is. */
#define ARITHMETIC(p)                                                                              \
    MEANING(p##_fadd, p('+', n, m, flags))                                                         \
    MEANING(p##_fsub, p('-', n, m, flags))                                                         \
    MEANING(p##_fmul, p('*', n, m, flags))                                                         \
    MEANING(p##_fnmul, p('*', n, m, flags) ^ SIGN_##p)                                             \
    MEANING(p##_fdiv, p('/', n, m, flags))                                                         \
    MEANING(p##_fsqrt, p('r', m, m, flags))                                                        \
    MEANING(p##_fmac, p('+', d, p('*', n, m, flags), flags))                                       \
    MEANING(p##_fnmac, p('-', d, p('*', n, m, flags), flags))                                      \
    MEANING(p##_fmsc, p('-', p('*', n, m, flags), d, flags))                                       \
    MEANING(p##_fnmsc, p('-', d ^ SIGN_##p, p('*', n, m, flags), flags))                           \
    MEANING(p##_fcpy, m)                                                                           \
    MEANING(p##_fabs, m & ~(uint64_t)SIGN_##p)                                                     \
    MEANING(p##_fneg, m ^ SIGN_##p)

ARITHMETIC(single)
ARITHMETIC(wide)

static bool signals(uint64_t bits, bool is_wide) {
    return is_wide ? isnan(wide_of(bits)) && (bits >> 51 & 1u) == 0 : isnan(single_of(bits)) && (bits >> 22 & 1u) == 0;
}

static uint64_t compared(double a, double b, bool invalid, uint32_t *flags) {
    *flags |= invalid ? INVALID : 0;
    *flags |= isnan(a) || isnan(b) ? 0x30000000u : a < b ? 0x80000000u : a == b ? 0x60000000u : 0x20000000u;
    return 0;
}

#define COMPARISONS(p, is_wide)                                                                    \
    static uint64_t p##_compared(uint64_t a, uint64_t b, bool strict, uint32_t *flags) {           \
        const bool nan = isnan(p##_of(a)) || isnan(p##_of(b));                                     \
        const bool invalid = strict ? nan : signals(a, is_wide) || signals(b, is_wide);            \
        return compared((double)p##_of(a), (double)p##_of(b), invalid, flags);                     \
    }                                                                                              \
    MEANING(p##_fcmp, p##_compared(d, m, false, flags))                                            \
    MEANING(p##_fcmpe, p##_compared(d, m, true, flags))                                            \
    MEANING(p##_fcmpz, p##_compared(d, 0, false, flags))                                           \
    MEANING(p##_fcmpez, p##_compared(d, 0, true, flags))

COMPARISONS(single, false)
COMPARISONS(wide, true)

static uint64_t widened(uint64_t m, uint32_t *flags) {
    *flags |= signals(m, false) ? INVALID : 0;
    return wide_bits((double)single_of(m));
}

static float narrowed(double value) {
    const volatile double v = value;
    const volatile float r = (float)v;
    return r;
}

static uint64_t narrow(uint64_t m, uint32_t *flags) {
    (void)feclearexcept(FE_ALL_EXCEPT);
    const float result = narrowed(wide_of(m));
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    (void)fesetround(FE_TOWARDZERO);
    const float cut = narrowed(wide_of(m));
    (void)fesetround(FE_TONEAREST);
    *flags |= flags_of(raised) | ((raised & FE_INEXACT) != 0 && fabsf(cut) < 0x1p-126f ? UNDERFLOW : 0);
    return single_bits(result);
}

MEANING(fcvtds, widened(m, flags))
MEANING(fcvtsd, narrow(m, flags))

static uint64_t integer(double value, bool with_sign, bool to_zero, uint32_t *flags) {
    if (isnan(value)) {
        *flags |= INVALID;
        return 0;
    }
    const double whole = to_zero ? trunc(value) : rint(value);
    const double least = with_sign ? -0x1p31 : 0, most = with_sign ? 0x1p31 - 1 : 0x1p32 - 1;
    *flags |= whole < least || whole > most ? INVALID : whole != value ? INEXACT : 0;
    return (uint32_t)(int64_t)(whole < least ? least : whole > most ? most : whole);
}

#define CONVERSIONS(p, type)                                                                       \
    static uint64_t p##_from(double whole, uint32_t *flags) {                                      \
        const type value = (type)whole;                                                            \
        *flags |= (double)value != whole ? INEXACT : 0;                                            \
        return p##_bits(value);                                                                    \
    }                                                                                              \
    MEANING(p##_ftoui, integer((double)p##_of(m), false, false, flags))                            \
    MEANING(p##_ftouiz, integer((double)p##_of(m), false, true, flags))                            \
    MEANING(p##_ftosi, integer((double)p##_of(m), true, false, flags))                             \
    MEANING(p##_ftosiz, integer((double)p##_of(m), true, true, flags))                             \
    MEANING(p##_fuito, p##_from((uint32_t)m, flags))                                               \
    MEANING(p##_fsito, p##_from((int32_t)(uint32_t)m, flags))

CONVERSIONS(single, float)
CONVERSIONS(wide, double)

#define BOTH(text, word, to, left, right, adds, name)                                                                              \
    {text ".f32", word, to(SINGLE), left(SINGLE), right(SINGLE), adds, single_##name},                                             \
        {text ".f64", (word) | 0x100u, to(DOUBLE), left(DOUBLE), right(DOUBLE), adds, wide_##name}
#define IT(kind) kind
#define NO(kind) NONE
#define INT(kind) INTEGER

const struct operation operations[] = {
    BOTH("vmla", 0xee000a00u, IT, IT, IT, true, fmac),
    BOTH("vmls", 0xee000a40u, IT, IT, IT, true, fnmac),
    BOTH("vnmls", 0xee100a00u, IT, IT, IT, true, fmsc),
    BOTH("vnmla", 0xee100a40u, IT, IT, IT, true, fnmsc),
    BOTH("vmul", 0xee200a00u, IT, IT, IT, false, fmul),
    BOTH("vnmul", 0xee200a40u, IT, IT, IT, false, fnmul),
    BOTH("vadd", 0xee300a00u, IT, IT, IT, false, fadd),
    BOTH("vsub", 0xee300a40u, IT, IT, IT, false, fsub),
    BOTH("vdiv", 0xee800a00u, IT, IT, IT, false, fdiv),
    BOTH("vmov", 0xeeb00a40u, IT, NO, IT, false, fcpy),
    BOTH("vabs", 0xeeb00ac0u, IT, NO, IT, false, fabs),
    BOTH("vneg", 0xeeb10a40u, IT, NO, IT, false, fneg),
    BOTH("vsqrt", 0xeeb10ac0u, IT, NO, IT, false, fsqrt),
    BOTH("vcmp", 0xeeb40a40u, IT, NO, IT, true, fcmp),
    BOTH("vcmpe", 0xeeb40ac0u, IT, NO, IT, true, fcmpe),
    BOTH("vcmp", 0xeeb50a40u, IT, NO, NO, true, fcmpz),
    BOTH("vcmpe", 0xeeb50ac0u, IT, NO, NO, true, fcmpez),
    {"vcvt.f64.f32", 0xeeb70ac0u, DOUBLE, NONE, SINGLE, false, fcvtds},
    {"vcvt.f32.f64", 0xeeb70bc0u, SINGLE, NONE, DOUBLE, false, fcvtsd},
    {"vcvt.f32.u32", 0xeeb80a40u, SINGLE, NONE, INTEGER, false, single_fuito},
    {"vcvt.f64.u32", 0xeeb80b40u, DOUBLE, NONE, INTEGER, false, wide_fuito},
    {"vcvt.f32.s32", 0xeeb80ac0u, SINGLE, NONE, INTEGER, false, single_fsito},
    {"vcvt.f64.s32", 0xeeb80bc0u, DOUBLE, NONE, INTEGER, false, wide_fsito},
    {"vcvtr.u32.f32", 0xeebc0a40u, INTEGER, NONE, SINGLE, false, single_ftoui},
    {"vcvtr.u32.f64", 0xeebc0b40u, INTEGER, NONE, DOUBLE, false, wide_ftoui},
    {"vcvt.u32.f32", 0xeebc0ac0u, INTEGER, NONE, SINGLE, false, single_ftouiz},
    {"vcvt.u32.f64", 0xeebc0bc0u, INTEGER, NONE, DOUBLE, false, wide_ftouiz},
    {"vcvtr.s32.f32", 0xeebd0a40u, INTEGER, NONE, SINGLE, false, single_ftosi},
    {"vcvtr.s32.f64", 0xeebd0b40u, INTEGER, NONE, DOUBLE, false, wide_ftosi},
    {"vcvt.s32.f32", 0xeebd0ac0u, INTEGER, NONE, SINGLE, false, single_ftosiz},
    {"vcvt.s32.f64", 0xeebd0bc0u, INTEGER, NONE, DOUBLE, false, wide_ftosiz},
};

const uint32_t operation_count = sizeof operations / sizeof operations[0];
