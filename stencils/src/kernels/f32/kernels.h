/* The out-of-line entries as C sees them (each kernel is one .c file here). */
#ifndef CF_MATH_KERNELS_H
#define CF_MATH_KERNELS_H

#include "entry.h"

float cf_sin(float x);
float cf_cos(float x);
float cf_tan(float x);
float cf_asin(float x);
float cf_acos(float x);
float cf_atan(float x);
float cf_exp(float x);
float cf_log(float x);
float cf_sqrt(float x);
float cf_exp2(float x);
float cf_expm1(float x);
float cf_sinh(float x);
float cf_cosh(float x);
float cf_tanh(float x);
float cf_log2(float x);
float cf_log10(float x);
float cf_log1p(float x);
float cf_cbrt(float x);
float cf_atan2(float y, float x);
float cf_pow(float x, float y);
float cf_hypot(float x, float y);

struct cf_sincos_result cf_sincos(float x);

#endif
