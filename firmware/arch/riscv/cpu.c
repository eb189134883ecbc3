/* What arch.h asks of the processor: interrupts, sleep, caches, and programs in user mode. */
#include "arch/riscv/riscv.h"
#include "core/codes_gen.h"

#define CAUSE_INSTRUCTION_ACCESS 1u
#define CAUSE_BREAKPOINT 3u

extern uint8_t cf_rv_gate[];

void cf_arch_irq_mask(void) {
    __asm__ volatile("csrci mstatus, %0" : : "i"(MSTATUS_MIE) : "memory");
}

void cf_arch_irq_unmask(void) {
    __asm__ volatile("csrsi mstatus, %0" : : "i"(MSTATUS_MIE) : "memory");
}

#ifdef CF_RISCV_ESP

/* Whether this core wakes for an interrupt that is masked its manual does not say: it stays awake. */
void cf_arch_sleep(void) {
}

#else

uint32_t cf_arch_cycles(void) {
    uintptr_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
    return (uint32_t)cycles;
}

void cf_arch_sleep(void) {
    __asm__ volatile("wfi" : : : "memory");
}

#endif

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    (void)offset;
    (void)len;
    __asm__ volatile("fence.i" : : : "memory");
}

static bool returned(const struct cf_rv_exit *exit) {
#ifdef CF_RISCV_PROBE /* by the instruction at the gate, where nothing keeps a program from executing it */
    if (exit->cause == CAUSE_BREAKPOINT) {
        return exit->pc == (uintptr_t)cf_rv_gate;
    }
#endif
    return exit->cause == CAUSE_INSTRUCTION_ACCESS && exit->pc == (uintptr_t)cf_rv_gate;
}

int cf_arch_call(uintptr_t entry, void *data, struct cf_call *call) {
    struct cf_rv_exit exit;
    cf_rv_enter(entry, data, &exit);
    call->start = exit.start;
    call->end = exit.end;
    if (exit.expired != 0) {
        call->fault = (struct cf_fault){.kind = CF_FAULT_TIME_LIMIT, .pc = exit.pc};
    } else if (returned(&exit)) {
        call->fault = (struct cf_fault){0};
    } else {
        cf_rv_classify(exit.cause, exit.pc, exit.value, &call->fault);
    }
    return (int)call->fault.kind;
}
