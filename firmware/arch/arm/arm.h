/* What the files of this folder share. ARMv7-A and ARMv6 (ARM1176) differ in little: __ARM_ARCH tells. */
#ifndef CF_ARM_H
#define CF_ARM_H

#include "platform/arch.h"

/* Why a program came back. The values are known to vectors.S. */
enum cf_arm_exit_reason {
    CF_ARM_EXIT_UNDEFINED = 0,
    CF_ARM_EXIT_SVC = 1, /* the program's return, if at the gate */
    CF_ARM_EXIT_PREFETCH = 2,
    CF_ARM_EXIT_DATA = 3,
    CF_ARM_EXIT_EXPIRED = 4, /* the time limit's interrupt */
    CF_ARM_EXIT_OTHER = 5,
};

/* Filled in by cf_arm_enter; the layout is known to vectors.S. */
struct cf_arm_exit {
    uint64_t start;  /* clock directly before the program */
    uint64_t end;    /* clock directly after it */
    uint32_t reason; /* enum cf_arm_exit_reason */
    uint32_t spsr;
    uint32_t lr;     /* as the exception left it: an offset from the instruction that depends on the reason */
};

/* vectors.S */
void cf_arm_enter(uintptr_t entry, void *data, struct cf_arm_exit *exit);

/* mmu.c: called once after reset, with the MMU off. */
void cf_arm_mmu_init(void);

/* fault.c: describes the last exception as the wire protocol does. */
void cf_arm_classify(enum cf_arm_exit_reason reason, uint32_t spsr, uint32_t lr, struct cf_fault *fault);

/* Called by vectors.S. */
_Noreturn void cf_arm_fatal(enum cf_arm_exit_reason reason, uint32_t spsr, uint32_t lr);

#endif
