/* What cf_sincos gives. The entries of the other kernels, symbol cf_NAME by the ordinary
 * calling convention of the target, are made by stencils/build: one translation unit per kernel, so
 * that it gets code and constants of one kernel and nothing else. */
#ifndef CF_MATH_ENTRY_H
#define CF_MATH_ENTRY_H

/* Sine in lane 0 of the first, cosine in lane 0 of the second: xmm0 and xmm1 by
 * System V x86_64 (two floats as such would be packed into xmm0), v0 and v1 on
 * AArch64. The other lanes mean nothing. */
typedef float cf_result_lanes __attribute__((vector_size(8)));
struct cf_sincos_result {
    cf_result_lanes sine, cosine;
};

#endif
