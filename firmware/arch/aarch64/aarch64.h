/* What the files of this folder share. */
#ifndef CF_AARCH64_H
#define CF_AARCH64_H

#include "platform/arch.h"

/* Why a program came back. The values are known to vectors.S. */
enum cf_a64_exit_reason {
    CF_A64_EXIT_SYNC = 0,    /* synchronous exception, the program's return (SVC at the gate) among them */
    CF_A64_EXIT_SERROR = 1,  /* asynchronous external abort */
    CF_A64_EXIT_EXPIRED = 2, /* the time limit's interrupt */
};

/* Filled in by cf_a64_enter; the layout is known to vectors.S. */
struct cf_a64_exit {
    uint64_t start; /* counter directly before the program */
    uint64_t end;   /* counter directly after it */
    uint64_t esr;
    uint64_t elr;
    uint64_t far;
    uint64_t reason; /* enum cf_a64_exit_reason */
};

/* vectors.S */
void cf_a64_enter(uintptr_t entry, void *data, struct cf_a64_exit *exit);

/* mmu.c: called once after reset, with the MMU off. */
void cf_a64_mmu_init(void);

/* fault.c: describes an exception as the wire protocol does. */
void cf_a64_classify(enum cf_a64_exit_reason reason, uint64_t esr, uint64_t elr, uint64_t far, struct cf_fault *fault);

/* Called by vectors.S. */
_Noreturn void cf_a64_fatal(enum cf_a64_exit_reason reason, uint64_t esr, uint64_t elr, uint64_t far);

#endif
