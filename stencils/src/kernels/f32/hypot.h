/* cf_hypot(x, y): one definition in double for every target, at most 0.51 ULP
 * (proof/sample.log); special values as C99 F.9.4.3 (an infinity wins over a NaN),
 * NaN results 0x7fc00000.
 *
 * The squares are exact (48 bits, 2^-298 to 2^256), their sum and its root are
 * rounded once each, to 2^-53: never more than 0.500000001 ULP.
 *
 * tables: none; no loop
 * instructions, worst case (x86_64/AArch64): hypot 26/30 */
//@ kernel hypot f32 F=FF
#ifndef CF_MATH_HYPOT_H
#define CF_MATH_HYPOT_H

#include "bits.h"

CF_INLINE float cf_hypot(float x, float y) {
    double dx = (double)x, dy = (double)y;
    uint32_t ax = cf_bits32(x) & CF_ABS, ay = cf_bits32(y) & CF_ABS;
    uint32_t o = cf_bits32((float)__builtin_sqrt(dx * dx + dy * dy));
    o = (ax > CF_INF) | (ay > CF_INF) ? CF_NAN : o;
    o = (ax == CF_INF) | (ay == CF_INF) ? CF_INF : o;
    return cf_f32(o);
}

#endif
