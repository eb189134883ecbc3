/* What arch.h asks of the processor: interrupts, sleep, caches, and programs at EL0. */
#include "arch/aarch64/aarch64.h"
#include "core/codes_gen.h"
#include "platform/board.h"

#define ESR_SVC 0x56000000u /* SVC #0 */

extern uint8_t cf_a64_gate[];

void cf_arch_irq_mask(void) {
    __asm__ volatile("msr daifset, #2" : : : "memory");
}

/* Asynchronous aborts too. */
void cf_arch_irq_unmask(void) {
    __asm__ volatile("msr daifclr, #6" : : : "memory");
}

/* Pages are always checked. */
uint32_t cf_arch_conditions(void) {
    return 0;
}

void cf_arch_sleep(void) {
    __asm__ volatile("dsb sy\n\twfi" : : : "memory");
}

void cf_hal_sync_code(uint32_t offset, uint32_t len) {
    uint64_t ctr;
    __asm__ volatile("mrs %0, ctr_el0" : "=r"(ctr));
    const uintptr_t data_line = (uintptr_t)4 << (ctr >> 16 & 15u);
    const uintptr_t instruction_line = (uintptr_t)4 << (ctr & 15u);
    const uintptr_t start = cf_board.platform.code_exec + offset;
    const uintptr_t end = start + len;
    /* Data caches know lines by physical address, so cleaning at the execution address covers the alias. */
    for (uintptr_t line = start & ~(data_line - 1u); line < end; line += data_line) {
        __asm__ volatile("dc cvau, %0" : : "r"(line) : "memory");
    }
    __asm__ volatile("dsb ish" : : : "memory");
    for (uintptr_t line = start & ~(instruction_line - 1u); line < end; line += instruction_line) {
        __asm__ volatile("ic ivau, %0" : : "r"(line) : "memory");
    }
    __asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

#define SHORTEST_LINE 16u

void cf_arch_flush(const void *bytes) {
    for (uintptr_t at = 0; at < CF_ARCH_FLUSHED; at += SHORTEST_LINE) {
        __asm__ volatile("dc civac, %0" : : "r"((uintptr_t)bytes + at) : "memory");
    }
    __asm__ volatile("dsb sy" : : : "memory");
}

static bool returned(const struct cf_a64_exit *exit) {
    return exit->reason == CF_A64_EXIT_SYNC && (uint32_t)exit->esr == ESR_SVC && exit->elr == (uintptr_t)cf_a64_gate + 4u;
}

int cf_arch_call(uintptr_t entry, void *data, struct cf_call *call) {
    struct cf_a64_exit exit;
    cf_a64_enter(entry, data, &exit);
    call->start = exit.start;
    call->end = exit.end;
    if (returned(&exit)) {
        call->fault = (struct cf_fault){0};
        return 0;
    }
    cf_a64_classify((enum cf_a64_exit_reason)exit.reason, exit.esr, exit.elr, exit.far, &call->fault);
    return (int)call->fault.kind;
}
