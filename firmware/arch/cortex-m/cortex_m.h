/* What the files of this folder share. */
#ifndef CF_CORTEX_M_H
#define CF_CORTEX_M_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/cortex-m/registers.h"
#include "drivers/mmio.h"

struct cf_fault;

/* Four registers in a row. */
struct cf_m_registers {
    uint32_t r[4];
};

/* What the processor pushes on entry to an exception. */
struct cf_m_frame {
    struct cf_m_registers low; /* r0 to r3 */
    uint32_t r12, lr, pc, xpsr;
};

/* cache.c */
void cf_m_caches_on(void);

struct cf_pin_code;

/* vectors.S: calls a program, between its inputs and its outputs, and comes back when cf_m_leave is called from a handler. Interrupts are on
 * then. Or it comes back with them masked, and has not called it, as an input has been waited for in vain. With the other entry and
 * CONTROL of the runner it comes back behind the first list. */
void cf_m_enter(uintptr_t entry, void *data, const struct cf_pin_code *around, uint32_t control);
void cf_m_listed(void);

/* vectors.S: two lists in which there is nothing. */
extern const struct cf_pin_code cf_m_none;
_Noreturn void cf_m_leave(void);

/* fault.c: describes the exception being handled: the stack pointer that it found, where that may point (from start on, so many bytes
 * beyond that at most), and, where reading the fault takes them, r4 to r7 of what it stopped. */
void cf_m_classify(uintptr_t sp, uintptr_t start, uintptr_t frames, const struct cf_m_registers *high, struct cf_fault *fault);

/* Called by vectors.S, in handlers. cf_m_stop returns if there is nothing to stop. */
_Noreturn void cf_m_reset(void);
void cf_m_stop(uintptr_t exc_return, const struct cf_m_registers *high);
_Noreturn void cf_m_fatal(uintptr_t sp, const struct cf_m_registers *high);

/* Of registers that lie together, for the compiler to work out once where they are. */
static inline volatile uint32_t *cf_m_block(uintptr_t address) {
    __asm__("" : "+r"(address));
    return (volatile uint32_t *)address;
}

/* vectors.S: DSB and ISB, and nothing that the compiler must save registers over. */
__attribute__((always_inline)) static inline void cf_m_barrier(void) {
    __asm__ volatile("bl cf_m_barrier" : : : "lr", "memory");
}

/* vectors.S */
extern const uint32_t cf_m_vectors[];

static inline uint32_t cf_m_exception(void) {
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number)); /* nothing else of the status register */
    return number;
}

static inline uintptr_t cf_m_psp(void) {
    uintptr_t sp;
    __asm__ volatile("mrs %0, psp" : "=r"(sp));
    return sp;
}

#endif
