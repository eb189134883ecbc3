/* cf_sqrt: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * One instruction (sqrtss, fsqrt), which IEEE 754 requires to be correctly
 * rounded; only the NaN is made the common one. With -fno-math-errno GCC calls no
 * library for negative arguments.
 * exceptional inputs: none; tables: none; no loop
 * instructions, worst case (x86_64/AArch64): sqrt 6/6 */
//@ kernel sqrt f32 F=F softfloat
#ifndef CF_MATH_SQRT_H
#define CF_MATH_SQRT_H

#include "bits.h"

CF_INLINE float cf_sqrt(float x) {
    float y = __builtin_sqrtf(x);
    return y != y ? cf_f32(CF_NAN) : y;
}

#endif
