/* Exceptions as faults of the wire protocol. */
#include "arch/arm/arm.h"
#include "arch/arm/sysreg.h"
#include "core/codes_gen.h"

extern uint8_t cf_program_guard_start[], cf_program_stack_start[];

/* Fault status, bits 10 and 3 to 0 of DFSR and IFSR. */
#define STATUS(fsr) (((fsr) >> 6 & 0x10u) | ((fsr)&0xfu))
#define STATUS_ALIGNMENT 0x01u
#define STATUS_DEBUG 0x02u
#define STATUS_ASYNCHRONOUS 0x16u /* an abort from outside the core: the address is not known */

static void classify_data_abort(struct cf_fault *fault) {
    uint32_t dfsr, dfar;
    __asm__ volatile("mrc p15, 0, %0, c5, c0, 0" : "=r"(dfsr));
    __asm__ volatile("mrc p15, 0, %0, c6, c0, 0" : "=r"(dfar));
    fault->cause = dfsr;
    fault->kind = CF_FAULT_MEMORY;
    if (STATUS(dfsr) == STATUS_ASYNCHRONOUS) {
        return;
    }
    fault->address = dfar;
    if (STATUS(dfsr) == STATUS_ALIGNMENT) {
        fault->kind = CF_FAULT_ALIGNMENT;
    } else if (dfar >= (uintptr_t)cf_program_guard_start && dfar < (uintptr_t)cf_program_stack_start) {
        fault->kind = CF_FAULT_STACK;
    }
}

static void classify_prefetch_abort(struct cf_fault *fault) {
    uint32_t ifsr;
    __asm__ volatile("mrc p15, 0, %0, c5, c0, 1" : "=r"(ifsr));
    fault->cause = ifsr;
    if (STATUS(ifsr) == STATUS_DEBUG) {
        return; /* a breakpoint: CF_FAULT_OTHER */
    }
    fault->kind = CF_FAULT_MEMORY;
    fault->address = fault->pc;
}

void cf_arm_classify(enum cf_arm_exit_reason reason, uint32_t spsr, uint32_t lr, struct cf_fault *fault) {
    const uint32_t behind = (spsr & PSR_THUMB) != 0 ? 2u : 4u; /* that LR is, of what was executed */
    *fault = (struct cf_fault){.kind = CF_FAULT_OTHER, .pc = lr};
    switch (reason) {
    case CF_ARM_EXIT_EXPIRED:
        fault->kind = CF_FAULT_TIME_LIMIT;
        break;
    case CF_ARM_EXIT_UNDEFINED:
        fault->kind = CF_FAULT_ILLEGAL;
        fault->pc = lr - behind;
        break;
    case CF_ARM_EXIT_SVC:
        fault->pc = lr - behind;
        break;
    case CF_ARM_EXIT_PREFETCH:
        fault->pc = lr - 4u;
        classify_prefetch_abort(fault);
        break;
    case CF_ARM_EXIT_DATA:
        fault->pc = lr - 8u;
        classify_data_abort(fault);
        break;
    case CF_ARM_EXIT_OTHER:
        break;
    }
}

_Noreturn void cf_arm_fatal(enum cf_arm_exit_reason reason, uint32_t spsr, uint32_t lr) {
    cf_arm_classify(reason, spsr, lr, &cf_platform_life.fault);
    cf_platform_fatal();
}
