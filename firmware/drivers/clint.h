/* Core-local interruptor of RISC-V chips: machine timer of hart 0. */
#ifndef CF_CLINT_H
#define CF_CLINT_H

#include <stdint.h>

uint64_t cf_clint_now(uintptr_t base);
void cf_clint_arm(uintptr_t base, uint64_t at);
void cf_clint_disarm(uintptr_t base);

#endif
