/* What the programs of this folder share: registers at REGISTERS, of four inputs and two outputs. */
#ifndef CF_SAMPLED_H
#define CF_SAMPLED_H

#include "../instructions/program.h"

static inline float sample(uint32_t n) { return (float)(int32_t)(((volatile const uint32_t *)REGISTERS)[n] & 0xfffu); }

static inline void commit(uint32_t n, int32_t value) { ((volatile uint32_t *)REGISTERS)[4 + n] = (uint32_t)value; }

#endif
