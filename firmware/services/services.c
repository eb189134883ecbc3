#include "services/services.h"

/* Programs call these in their loops: what the build leaves out for a smaller runner costs time here. */
#pragma GCC optimize("thread-jumps,tree-forwprop,tree-tail-merge,tree-pta")

/* Arithmetic is that of the compiler's own library, which rounds to nearest even and keeps
 * subnormals. */
#if defined(__ARM_EABI__)
#define ADD      __aeabi_fadd
#define SUB      __aeabi_fsub
#define MUL      __aeabi_fmul
#define DIV      __aeabi_fdiv
#define FROM_INT __aeabi_i2f
#else
#define ADD      __addsf3
#define SUB      __subsf3
#define MUL      __mulsf3
#define DIV      __divsf3
#define FROM_INT __floatsisf
#endif

float ADD(float a, float b);
float SUB(float a, float b);
float MUL(float a, float b);
float DIV(float a, float b);
float FROM_INT(int32_t i);

/* Where programs may execute code. */
#define SERVICE __attribute__((section(".services"))) static

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u

SERVICE int is_nan(uint32_t u) { return (u & ~SIGN) > INFINITE; }

/* Integers in the order of the numbers; both zeros are 0. */
SERVICE int32_t order(uint32_t u) {
    int32_t magnitude = (int32_t)(u & ~SIGN);

    return (u & SIGN) != 0 ? -magnitude : magnitude;
}

SERVICE uint32_t f32_lt(uint32_t a, uint32_t b) { return !is_nan(a) && !is_nan(b) && order(a) < order(b); }

SERVICE uint32_t f32_le(uint32_t a, uint32_t b) { return !is_nan(a) && !is_nan(b) && order(a) <= order(b); }

SERVICE uint32_t f32_eq(uint32_t a, uint32_t b) { return !is_nan(a) && !is_nan(b) && order(a) == order(b); }

/* Toward zero, saturating; NaN gives 0. */
SERVICE uint32_t f32_to_i32(uint32_t u) {
    uint32_t exponent = (u & ~SIGN) >> 23;
    uint32_t m;

    if (is_nan(u) || exponent < 127) {
        return 0;
    }
    if (exponent >= 158) {
        return 0x7fffffffu + (u >> 31);
    }
    m = ((u << 8) | SIGN) >> (158 - exponent);
    return (u & SIGN) != 0 ? 0u - m : m;
}

/* Sticky flags are the first word of the data block. */
#define FLAG_DIVIDE 1u

SERVICE uint32_t magnitude_of(uint32_t a) { return (a & SIGN) != 0 ? 0u - a : a; }

/* Floor division: a // 0 = 0 and MIN // -1 = MIN, both flagged. */
SERVICE uint32_t i32_floordiv(uint32_t a, uint32_t b, uint32_t *data) {
    uint32_t ma = magnitude_of(a);
    uint32_t mb = magnitude_of(b);
    uint32_t q;

    if (b == 0 || (a == SIGN && b == 0xffffffffu)) {
        *data |= FLAG_DIVIDE;
        return b == 0 ? 0 : a;
    }
    q = ma / mb;
    if (((a ^ b) & SIGN) == 0) {
        return q;
    }
    return 0u - (q + (q * mb != ma));
}

/* The remainder with the sign of b; a % 0 = a, flagged. */
SERVICE uint32_t i32_mod(uint32_t a, uint32_t b, uint32_t *data) {
    uint32_t ma = magnitude_of(a);
    uint32_t mb = magnitude_of(b);
    uint32_t rest;

    if (b == 0) {
        *data |= FLAG_DIVIDE;
        return a;
    }
    rest = ma % mb;
    if (rest != 0 && ((a ^ b) & SIGN) != 0) {
        rest = mb - rest;
    }
    return (b & SIGN) != 0 ? 0u - rest : rest;
}

/* With them, since it is of no use without them. */
__attribute__((section(".services.table"))) const uintptr_t cf_services[CF_SERVICE_COUNT] = {
    [CF_SERVICE_F32_ADD] = (uintptr_t)ADD,
    [CF_SERVICE_F32_SUB] = (uintptr_t)SUB,
    [CF_SERVICE_F32_MUL] = (uintptr_t)MUL,
    [CF_SERVICE_F32_DIV] = (uintptr_t)DIV,
    [CF_SERVICE_F32_LT] = (uintptr_t)f32_lt,
    [CF_SERVICE_F32_LE] = (uintptr_t)f32_le,
    [CF_SERVICE_F32_EQ] = (uintptr_t)f32_eq,
    [CF_SERVICE_I32_TO_F32] = (uintptr_t)FROM_INT,
    [CF_SERVICE_F32_TO_I32] = (uintptr_t)f32_to_i32,
    [CF_SERVICE_I32_FLOORDIV] = (uintptr_t)i32_floordiv,
    [CF_SERVICE_I32_MOD] = (uintptr_t)i32_mod,
};
