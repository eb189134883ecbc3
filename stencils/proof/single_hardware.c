/* Compiled for a core with float registers and a division. */
#include "single.h"

#include "../src/kernels/f32/bits.h"

uint32_t hardware_add(uint32_t a, uint32_t b) { return cf_bits32(cf_f32(a) + cf_f32(b)); }
uint32_t hardware_sub(uint32_t a, uint32_t b) { return cf_bits32(cf_f32(a) - cf_f32(b)); }
uint32_t hardware_mul(uint32_t a, uint32_t b) { return cf_bits32(cf_f32(a) * cf_f32(b)); }
uint32_t hardware_div(uint32_t a, uint32_t b) { return cf_bits32(cf_f32(a) / cf_f32(b)); }
uint32_t hardware_lt(uint32_t a, uint32_t b) { return cf_f32(a) < cf_f32(b); }
uint32_t hardware_le(uint32_t a, uint32_t b) { return cf_f32(a) <= cf_f32(b); }
uint32_t hardware_gt(uint32_t a, uint32_t b) { return cf_f32(a) > cf_f32(b); }
uint32_t hardware_ge(uint32_t a, uint32_t b) { return cf_f32(a) >= cf_f32(b); }
uint32_t hardware_eq(uint32_t a, uint32_t b) { return cf_f32(a) == cf_f32(b); }
uint32_t hardware_unordered(uint32_t a, uint32_t b) { return cf_f32(a) != cf_f32(a) || cf_f32(b) != cf_f32(b); }

uint32_t hardware_from_int(uint32_t a, uint32_t b) {
    (void)b;
    return cf_bits32((float)(int32_t)a);
}

uint32_t hardware_from_unsigned(uint32_t a, uint32_t b) {
    (void)b;
    return cf_bits32((float)a);
}

uint32_t hardware_to_int(uint32_t a, uint32_t b) {
    float x = cf_f32(a);
    (void)b;
    if (!(x >= -0x1p31f)) return x < 0 ? 0x80000000u : 0u;
    return x < 0x1p31f ? (uint32_t)(int32_t)x : 0x7fffffffu;
}

uint32_t hardware_floordiv(uint32_t a, uint32_t b) {
    int32_t x = (int32_t)a, y = (int32_t)b;
    if (y == 0) return 0;
    if (y == -1) return 0u - a;
    return (uint32_t)(x / y - (x % y != 0 && (x ^ y) < 0));
}

uint32_t hardware_mod(uint32_t a, uint32_t b) {
    int32_t x = (int32_t)a, y = (int32_t)b;
    if (y == 0) return a;
    if (y == -1) return 0;
    int32_t rest = x % y;
    return (uint32_t)(rest != 0 && (rest ^ y) < 0 ? rest + y : rest);
}
