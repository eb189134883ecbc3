/* cf_cbrt: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * |x| = 8^q M, 1 <= M < 8. A polynomial of degree 4 gives y to 17 bits, so that
 * y^3 and M - y^3 are exact; then a correction of third order.
 *
 * double before rounding: within 0.51 * 2^-53; exceptional inputs: none
 * tables: none; no loop; one division
 * instructions, worst case (x86_64/AArch64): cbrt 77/88 */
//@ kernel cbrt f32 F=F
#ifndef CF_MATH_CBRT_H
#define CF_MATH_CBRT_H

#include "bits.h"

CF_INLINE float cf_cbrt(float x) {
    uint32_t u = cf_bits32(x), ax = u & CF_ABS;
    uint64_t b = cf_bits64((double)cf_f32(ax)), fraction = b & 0xfffffffffffffu;
    uint32_t e = (uint32_t)(b >> 52); /* 874..1151 */
    uint32_t q = (e * 21846u) >> 16, rest = e - 3u * q;
    double m = cf_f64(fraction | 0x3ff0000000000000u);
    double M = cf_f64(fraction | (uint64_t)(0x3ffu + rest) << 52);
    double m2 = m * m;
    double p = (0x1.0392ccec6ddp-1 + m * 0x1.6fb1dfe02669fp-1)
             + m2 * ((-0x1.33d38506d8622p-2 + m * 0x1.60a153724efcdp-4) + m2 * -0x1.5b77f08bb9e71p-7);
    p = p * (rest == 0u ? 1.0 : (rest == 1u ? 0x1.428a2f98d728bp+0 : 0x1.965fea53d6e3dp+0));
    double y = cf_f64((cf_bits64(p) + 0x800000000u) & 0xfffffff000000000u); /* 17 bits */
    double y3 = (y * y) * y, d = (M - y3) / y3;
    double s = y + y * (d * (0x1.5555555555555p-2
                             + d * (-0x1.c71c71c71c71cp-4 + d * 0x1.f9add3c0ca458p-5)));
    s = s * cf_f64((uint64_t)(q + (1023u - 341u)) << 52);
    uint32_t o = cf_bits32((float)s);
    o = (ax == 0u || ax >= CF_INF) ? ax : o;
    return cf_f32(ax > CF_INF ? CF_NAN : o | (u & CF_SIGN));
}

#endif
