/* The software that a VFP11, the floating-point unit of an ARM1176, hands operations to which it does not finish: those with
 * subnormal operands, and those whose result may be subnormal or too large. ARM1176JZF-S Technical Reference Manual (DDI 0301),
 * chapters 20 and 22; instructions: Arm Architecture Reference Manual (DDI 0100), part C. */
#ifndef CF_ARM_VFP11_H
#define CF_ARM_VFP11_H

#include <stdbool.h>
#include <stdint.h>

/* The unit as it hands over; the layout is known to vectors.S. */
struct cf_vfp11 {
    uint32_t s[32]; /* d<n> is s<2n>, the low word, and s<2n+1> */
    uint32_t fpscr;
    uint32_t fpexc;
    uint32_t fpinst;  /* what it has not finished */
    uint32_t fpinst2; /* if FPEXC says so, what it had accepted behind it: the core has passed that, and will not issue it again */
};

/* Carries out what was handed over: registers and FPSCR are those behind it. False where that cannot be, as it is no instruction of
 * scalars, or the program has set another mode than the one in which runs begin. */
bool cf_vfp11_finish(struct cf_vfp11 *unit);

#endif
