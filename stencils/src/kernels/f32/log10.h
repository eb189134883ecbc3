/* cf_log10: correctly rounded for all 2^32 inputs (proof/sweep.log).
 *
 * As log2.h, with log10(c) within 2^-58 of a multiple of 2^-44 and log10(2) in
 * two parts, k times its head exact.
 *
 * double before rounding: within 0.71 * 2^-53; exceptional inputs: 1
 * tables: 256 bytes; no loop
 * instructions, worst case (x86_64/AArch64): log10 91/111 */
//@ kernel log10 f32 F=F
#ifndef CF_MATH_LOG10_H
#define CF_MATH_LOG10_H

#include "bits.h"
#include "log.h"

static const double cf_log10_table[16][2] = { /* 1/c, log10(c) */
    {0x1.641b65c000000p+0, -0x1.258fbdd29f000p-3}, {0x1.5555852000000p+0, -0x1.ffc0bbcd17000p-4},
    {0x1.479df4a000000p+0, -0x1.b6ca4220cb000p-4}, {0x1.3b19db8000000p+0, -0x1.717fdb2f50000p-4},
    {0x1.2f712c2000000p+0, -0x1.2e6e7d90c2000p-4}, {0x1.248dd32000000p+0, -0x1.dadbadd4dc000p-5},
    {0x1.1a83ce0000000p+0, -0x1.5ea0e7419e000p-5}, {0x1.1123c86000000p+0, -0x1.cd209e6b30000p-6},
    {0x1.083d33c000000p+0, -0x1.c2caa74528000p-7}, {0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.e1efb0c000000p-1, 0x1.ae93b1b590000p-6},  {0x1.c71e980000000p-1, 0x1.a2f9d02a20000p-5},
    {0x1.af36aa0000000p-1, 0x1.317842cdef000p-4},  {0x1.99a69dc000000p-1, 0x1.8cb8fd165a000p-4},
    {0x1.86158d8000000p-1, 0x1.e3c9005a59000p-4},  {0x1.743c444000000p-1, 0x1.1b8cdd0182000p-3},
};

/* log10(1+r) - r log10(e) */
CF_INLINE double cf_log10_tail(double r) {
    double z = r * r;
    double a = -0x1.bcb7b1526e50ep-3 + r * 0x1.287a7636f42c7p-3;
    double b = (-0x1.bcb7b1526f0ecp-4 + r * 0x1.63c62777acd7p-4)
             + z * (-0x1.287a7630f18eep-4 + r * 0x1.fc3f705fe59cap-5);
    double c = (-0x1.bcb7c422a3939p-5 + r * 0x1.8c2e8989dab53p-5) + z * -0x1.6433be249e77ap-5;
    return z * (a + z * (b + (z * z) * c));
}

CF_INLINE float cf_log10(float x) {
    uint32_t u = cf_bits32(x);
    double k, m;
    uint64_t i = cf_log_reduce((double)x, &k, &m);
    double r = m * cf_log10_table[i][0] - 1.0; /* exact */
    double rh = cf_f64(cf_bits64(r) & 0xfffffffff8000000u), rl = r - rh;
    double h = k * 0x1.34413509f7800p-2 + cf_log10_table[i][1]; /* exact */
    double a = rh * 0x1.bcb7b18p-2;                            /* exact */
    double b = rl * 0x1.bcb7b1526e50ep-2 + rh * -0x1.6c8d78e6acaa4p-29;
    double s = h + a, e = (h - s) + a;
    double y = s + (e + (k * 0x1.fef311f12b358p-46 + (b + cf_log10_tail(r))));
    return cf_log_special(u, cf_bits32((float)y) + cf_is(u, 0x0efeee7au));
}

#endif
