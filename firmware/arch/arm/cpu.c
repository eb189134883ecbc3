/* What arch.h asks of the processor: interrupts, sleep, caches, and programs in User mode. */
#include "arch/arm/arm.h"
#include "arch/arm/sysreg.h"
#include "core/codes_gen.h"
#include "platform/board.h"

extern uint8_t cf_arm_gate[];

void cf_arch_irq_mask(void) {
    __asm__ volatile("cpsid i" : : : "memory");
}

/* Asynchronous aborts too. */
void cf_arch_irq_unmask(void) {
    __asm__ volatile("cpsie ai" : : : "memory");
}

/* Pages are always checked. */
uint32_t cf_arch_conditions(void) {
    return 0;
}

void cf_arch_sleep(void) {
    cf_arm_dsb();
#if __ARM_ARCH >= 7
    __asm__ volatile("wfi" : : : "memory");
#else
    __asm__ volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0) : "memory");
#endif
}

#if __ARM_ARCH >= 7

/* Length in bytes of the shortest line, as CTR states it in words. */
static uintptr_t line_length(uint32_t shift) {
    uint32_t ctr;
    __asm__ volatile("mrc p15, 0, %0, c0, c0, 1" : "=r"(ctr));
    return (uintptr_t)4 << (ctr >> shift & 15u);
}

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    const uintptr_t data_line = line_length(16);
    const uintptr_t instruction_line = line_length(0);
    const uintptr_t start = cf_board.platform.code_exec + offset;
    const uintptr_t end = start + len;
    /* Data caches know lines by physical address, so cleaning at the execution address covers the alias. */
    for (uintptr_t line = start & ~(data_line - 1u); line < end; line += data_line) {
        __asm__ volatile("mcr p15, 0, %0, c7, c11, 1" : : "r"(line) : "memory"); /* DCCMVAU */
    }
    cf_arm_dsb();
    for (uintptr_t line = start & ~(instruction_line - 1u); line < end; line += instruction_line) {
        __asm__ volatile("mcr p15, 0, %0, c7, c5, 1" : : "r"(line) : "memory"); /* ICIMVAU */
    }
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 6" : : "r"(0) : "memory"); /* BPIALL */
    cf_arm_dsb();
    cf_arm_isb();
}

#else

#define LINE 32u

/* The caches of an ARM1176 have four ways of a page each, so that an address and its alias share their lines. Erratum
 * 411920: invalidating the whole instruction cache may fail; done four times with interrupts masked it does not. */
void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    const uintptr_t start = cf_board.platform.code_exec + offset;
    const uintptr_t end = start + len;
    for (uintptr_t line = start & ~(uintptr_t)(LINE - 1u); line < end; line += LINE) {
        __asm__ volatile("mcr p15, 0, %0, c7, c10, 1" : : "r"(line) : "memory"); /* clean */
    }
    cf_arm_dsb();
    cf_arch_irq_mask();
    __asm__ volatile(".rept 4\n\t"
                     "mcr p15, 0, %0, c7, c5, 0\n\t"
                     ".endr\n\t"
                     ".rept 11\n\t"
                     "nop\n\t"
                     ".endr"
                     :
                     : "r"(0)
                     : "memory");
    cf_arch_irq_unmask();
    cf_arm_dsb();
    cf_arm_isb();
}

#endif

#define SHORTEST_LINE 32u

void cf_arch_flush(const void *bytes) {
    for (uintptr_t at = 0; at < CF_ARCH_FLUSHED; at += SHORTEST_LINE) {
        __asm__ volatile("mcr p15, 0, %0, c7, c14, 1" : : "r"((uintptr_t)bytes + at) : "memory"); /* clean and invalidate */
    }
    cf_arm_dsb();
}

static bool returned(const struct cf_arm_exit *exit) {
    return exit->reason == CF_ARM_EXIT_SVC && exit->lr == (uintptr_t)cf_arm_gate + 4u;
}

int cf_arch_call(uintptr_t entry, void *data, struct cf_call *call) {
    struct cf_arm_exit exit;
    cf_arm_enter(entry, data, &exit);
    call->start = exit.start;
    call->end = exit.end;
    if (returned(&exit)) {
        call->fault = (struct cf_fault){0};
        return 0;
    }
    cf_arm_classify((enum cf_arm_exit_reason)exit.reason, exit.spsr, exit.lr, &call->fault);
    return (int)call->fault.kind;
}
