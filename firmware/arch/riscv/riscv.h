/* What the files of this folder share, C and assembly. One source for 64 and 32 bits, with and without floating point;
 * the compiler is told CF_RISCV_FLOAT, since the runner itself is compiled without. Field names: RISC-V Instruction Set
 * Manual, Volume II: Privileged Architecture, 20211203. */
#ifndef CF_RISCV_H
#define CF_RISCV_H

#define MSTATUS_MIE (1 << 3)
#define MSTATUS_MPIE (1 << 7)
#define MSTATUS_MPP (3 << 11)
#define MSTATUS_FS_INITIAL (1 << 13)
#define MSTATUS_TW (1 << 21)

#define MISA_S (1 << 18)
#define MISA_U (1 << 20)

#define MIE_TIMER (1 << 7)
#define MIE_EXTERNAL (1 << 11)

#if __riscv_xlen == 64
#define REGISTER_BYTES 8
#else
#define REGISTER_BYTES 4
#endif

/* What mtvec holds: the core of an ESP32-C3 has the vectored mode only. */
#ifdef CF_RISCV_ESP
#define TRAPS cf_rv_vectors + 1
#else
#define TRAPS cf_rv_trap
#endif

#ifndef __ASSEMBLER__

#include "platform/arch.h"

/* Filled in by cf_rv_enter; the layout is known to trap.S. */
struct cf_rv_exit {
    uint64_t start; /* clock directly before the program */
    uint64_t end;   /* clock directly after it */
    uintptr_t cause;
    uintptr_t pc;
    uintptr_t value;   /* mtval: an address, or the bits of an instruction */
    uintptr_t expired; /* not 0: the time limit's interrupt; the three above are not set */
};

/* trap.S */
void cf_rv_enter(uintptr_t entry, void *data, struct cf_rv_exit *exit);

/* fault.c: describes an exception as the wire protocol does. */
void cf_rv_classify(uintptr_t cause, uintptr_t pc, uintptr_t value, struct cf_fault *fault);

/* pmp.c: what programs may touch. To be called at every start. */
void cf_rv_pmp_init(void);

/* Called by trap.S. */
_Noreturn void cf_rv_fatal(uintptr_t cause, uintptr_t pc, uintptr_t value);

#endif

#endif
