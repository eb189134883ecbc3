/* What the files of this folder share. */
#ifndef CF_AARCH64_H
#define CF_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

struct cf_fault;

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

/* vectors.S, start.S */
void cf_a64_enter(uintptr_t entry, void *data, struct cf_a64_exit *exit);
_Noreturn void cf_a64_restart(void);

/* mmu.c: called once after reset, with the MMU off. Where the core writes code that programs execute at `exec`. */
void cf_a64_mmu_init(void);
uint8_t *cf_a64_code_view(uintptr_t exec);

/* fault.c: describes an exception as the wire protocol does. */
void cf_a64_classify(enum cf_a64_exit_reason reason, uint64_t esr, uint64_t elr, uint64_t far, struct cf_fault *fault);

/* fault.c: the exception that made the runner restart last, or NULL if it has not since reset. */
const struct cf_fault *cf_a64_last_words(void);

/* fault.c: restarts since reset. */
uint32_t cf_a64_restarts(void);

/* Called by vectors.S. */
bool cf_a64_interrupt(void);
_Noreturn void cf_a64_fatal(enum cf_a64_exit_reason reason, uint64_t esr, uint64_t elr, uint64_t far);

static inline void cf_a64_irq_mask(void) {
    __asm__ volatile("msr daifset, #2" : : : "memory");
}

/* Interrupts and asynchronous aborts on. */
static inline void cf_a64_irq_unmask(void) {
    __asm__ volatile("msr daifclr, #6" : : : "memory");
}

#endif
