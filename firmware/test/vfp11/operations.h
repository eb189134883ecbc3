/* What an instruction of the VFP11 means, by the float unit of the host. */
#ifndef CF_TEST_VFP11_OPERATIONS_H
#define CF_TEST_VFP11_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Of FPSCR. */
#define INVALID 0x01u
#define BY_ZERO 0x02u
#define OVERFLOW 0x04u
#define UNDERFLOW 0x08u
#define INEXACT 0x10u

/* Which precision a register of the instruction has, or that it is an integer. */
enum kind { NONE, SINGLE, DOUBLE, INTEGER };

struct operation {
    const char *text; /* as assemblers have it, without registers */
    uint32_t word;    /* with s0 and d0 */
    enum kind to, left, right;
    bool adds; /* to what is in the register of the result */
    /* Bits of the result and what FPSCR has more than before, from those of the registers. Comparisons have no result. */
    uint64_t (*meaning)(uint64_t to, uint64_t left, uint64_t right, uint32_t *flags);
};

extern const struct operation operations[];
extern const uint32_t operation_count;

#endif
