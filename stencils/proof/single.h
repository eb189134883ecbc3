/* Routines for single arithmetic in integers, with what a core with float registers makes
 * of the same operands. Operands and results are bits. */
#ifndef CF_PROOF_SINGLE_H
#define CF_PROOF_SINGLE_H

#include <stdint.h>

typedef uint32_t routine(uint32_t a, uint32_t b);

struct single {
    const char *name;
    int operands; /* 1: all 2^32 are tried */
    routine *tested, *hardware;
};

/* single_kernels.c or single_services.c; the last one has no name */
extern const struct single singles[];

/* single_hardware.c */
routine hardware_add, hardware_sub, hardware_mul, hardware_div;
routine hardware_lt, hardware_le, hardware_gt, hardware_ge, hardware_eq, hardware_unordered;
routine hardware_from_int, hardware_from_unsigned;
routine hardware_to_int; /* toward zero, saturating; NaN gives 0 */
routine hardware_floordiv, hardware_mod; /* of integers: a // 0 = 0, a % 0 = a, MIN // -1 = MIN */

#endif
